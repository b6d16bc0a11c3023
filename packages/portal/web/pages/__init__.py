"""The pages of an app: who may open them, and the list, form and overview pages that apps have in common.

An app's `urls.py` takes its guards from here, and an app's views take the rest::

    guards       platform_page, neutral_page: a URL whose page is guarded, private, and has a page for a 405
    list_pages   ListPageConfig: a list with search, sort menu and "load more"
    form_pages   form_page, submission_key, see_other: a page with a form, which can be sent again
    overviews    summary_or_lists: the backend's summary, or the totals of the lists
      |
    forms        BackendForm: a form whose fields have the backend's names, and which shows the backend's errors
"""

from __future__ import annotations

from portal.web.pages.form_pages import form_page, see_other, submission_key
from portal.web.pages.forms import BackendForm, one_line, telephone
from portal.web.pages.guards import neutral_page, platform_page, with_405_page
from portal.web.pages.list_pages import AGE_SORTS, NAME_SORTS, ListPageConfig, is_load_more
from portal.web.pages.overviews import summary_or_lists
