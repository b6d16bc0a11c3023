"""The pages of an app: who may open them, and the list, record, form and overview pages that apps have in common.

An app declares the pages of a resource, each of which may be a function instead; the rest is for such functions::

    resource_urls    resource_pages: the URLs of one resource, with their names
      list_views       ListView: a list with search, sort menu and "load more"
      record_views     DetailView, DeleteView: the page of one row, and the form that deletes it
      form_views       CreateView, EditView: the forms that create and edit a row
        form_pages       form_page, submission_key, see_other: a page with a form, which can be sent again
        page_names       the pages of one resource by the names of their URLs
      guards           platform_page, neutral_page: a URL whose page is guarded, private, and has a page for a 405
    overviews        Count, read_overview: the backend's summary, or the totals of the lists
    forms            BackendForm: a form for a row, which shows the backend's errors at its fields
      form_fields      the field for each type of a row's attributes
        validators       one_line, telephone
"""

from __future__ import annotations

from portal.web.pages.form_pages import form_page, see_other, submission_key
from portal.web.pages.form_views import CreateView, EditView
from portal.web.pages.forms import BackendForm
from portal.web.pages.guards import neutral_page, platform_page, with_405_page
from portal.web.pages.list_views import AGE_SORTS, NAME_SORTS, NUMBER_SORTS, ListView, is_load_more
from portal.web.pages.overviews import Count, read_overview
from portal.web.pages.page_names import ShownRow, shown_row
from portal.web.pages.record_views import DeleteView, DetailView
from portal.web.pages.resource_urls import resource_pages
from portal.web.pages.validators import one_line, telephone
