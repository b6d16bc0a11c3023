"""The back-office kit: the list, record, form and overview pages that apps have in common, exports, and the search.

It stands on `portal.web`, which knows nothing of it. An app declares the pages of a resource, each of which may be a
function instead; the rest is for such functions::

    urls             platform_patterns, portal_patterns: all URLs of an app       apps    Django's registration
      search         the search over everything
    resource_urls    resource_pages: the URLs of one resource, with their names
      exports        the file of a list
      records        DetailView, Related, DeleteView: the page of one row, what belongs to it, the form that deletes it
        forms        CreateView, AddView, EditView, BackendForm: the forms that create and edit a row
        overviews    read_overview, Figure, PeriodChoice, live_part: figures of a period, what needs somebody now
          lists      ListView, Column, Filter, DateRange: a list with search, filters, sort orders and "load more"
            page_names   the pages of one resource by the names of their URLs

`platform_page`, `see_other`, `offers` and `submission_key` are handed out too, for a view of one's own.
"""

from portal.query import offers
from portal.web import see_other
from portal.web.guards import platform_page
from portal.web.submissions import submission_key
from portal_pages.forms import (
    AddView,
    BackendForm,
    CreateView,
    EditView,
    RowChoiceField,
    SuggestedField,
    backend_errors,
    change_row,
    form_page,
    is_not_taken,
    one_line,
    settle_conflicts,
    telephone,
    usable_form,
    use_plain_messages,
)
from portal_pages.lists import (
    AGE_SORTS,
    NAME_SORTS,
    NUMBER_SORTS,
    Column,
    DateRange,
    Filter,
    ListView,
    QuickView,
    Totals,
    is_load_more,
    list_url,
)
from portal_pages.overviews import (
    Count,
    Figure,
    PeriodChoice,
    live_part,
    money_of,
    read_overview,
    rows_by,
)
from portal_pages.page_names import ShownRow, shown_row
from portal_pages.records import DeleteView, DetailView, Related, RowAction, short_list
from portal_pages.resource_urls import resource_pages
