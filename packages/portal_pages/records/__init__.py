"""Records: the page of one row, with what belongs to it.

::

    record_views   DetailView, DeleteView: the page of one row, and the form that deletes it
      related      Related: a short list of what belongs to the row; short_list: the same on another page
      row_actions  RowAction: a button or a small form, and what undoes it
"""

from __future__ import annotations

from portal_pages.records.record_views import DELETE, WARNING, DeleteView, DetailView
from portal_pages.records.related import Related, short_list
from portal_pages.records.row_actions import RowAction
