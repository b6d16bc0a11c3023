"""Records: the page of one row, with what belongs to it.

::

    record_views   DetailView: the page of one row
      deletions    DeleteView: the form that deletes it; RestorePage: takes that back
      history      the history of a row in words; NotePage: the form for a note
      related      Related: a short list of what belongs to the row; short_list: the same on another page
      row_actions  RowAction: a button or a small form, which can be undone
        bulk_pages   the same for several rows, which are selected in the list
"""

from portal_pages.records.bulk_pages import BulkPage
from portal_pages.records.deletions import DELETE, DeleteView, RestorePage
from portal_pages.records.history import fields_of
from portal_pages.records.record_views import DetailView
from portal_pages.records.related import Related, short_list
from portal_pages.records.row_actions import RESTORE, UNDO, RowAction
