"""Lists: pages of rows.

::

    list_views           ListView: a list with search, filters, ranges, sort orders and "load more"
      list_pages         one page of a list, as its templates show it
        list_words       what is the same on all pages of one language
      list_filters     its chips, menus and presets, and what each leads to
      related_names      what the related rows are called to which a list is narrowed
        controls         what the user asked for, as the address has it
          filters        Filter: what a list can be narrowed to
          date_ranges    DateRange: days of the address, moments of the backend
      columns            Column: its heading, its sort order, and what its cells have in common; short_table
    htmx_targets         which part of a list htmx asks for
    list_urls            list_url: the address of a list in one of its states; list_url_before: the way back to it
"""

from __future__ import annotations

from portal_pages.lists.columns import Column, short_table
from portal_pages.lists.date_ranges import DateRange
from portal_pages.lists.filters import Filter, linked_words
from portal_pages.lists.htmx_targets import is_load_more
from portal_pages.lists.list_urls import list_url, list_url_before
from portal_pages.lists.list_views import AGE_SORTS, NAME_SORTS, NUMBER_SORTS, ListView
