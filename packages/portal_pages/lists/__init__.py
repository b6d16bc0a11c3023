"""Lists: pages of rows.

::

    list_views           ListView: a list with search, filters, ranges, sort orders and "load more"
      list_pages         one page of a list, as its templates show it; its address, and the way back to it
      saved_views        QuickView: a view that it declares; those that users save
      list_reads         what a page reads: its rows, the numbers beside its filters, its sums, names of related rows
      list_filters     its chips, menus and presets, and what each leads to
        controls         what a request asks for: the address, and the part of the page that htmx fills
          filters        Filter: what a list can be narrowed to
          date_ranges    DateRange: days of the address, moments of the backend
      totals             Totals: what all rows of a list add up to
      cells              what is written of a row by its columns, where no template of its own does; short_table
        columns          Column: its heading, its sort order, and what its cells have in common
"""

from portal_pages.lists.cells import Cell, short_table, words_in, written_cells
from portal_pages.lists.columns import AGE_SORTS, NAME_SORTS, NUMBER_SORTS, Column, column_fault
from portal_pages.lists.controls import is_load_more, number_of_pages
from portal_pages.lists.date_ranges import DateRange, calendar_spans, day_in
from portal_pages.lists.filters import Filter
from portal_pages.lists.list_filters import Preset
from portal_pages.lists.list_pages import LIST, LIST_FIELD, ROW, list_url, list_url_before
from portal_pages.lists.list_reads import by_wire_names, selected_rows
from portal_pages.lists.list_views import ListView
from portal_pages.lists.saved_views import QuickView, views_of
from portal_pages.lists.totals import Totals
