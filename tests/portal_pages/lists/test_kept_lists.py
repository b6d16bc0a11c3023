"""A list is rendered once while its rows stay the same, whole or for htmx; a form in it has each request's own token."""

from __future__ import annotations

import copy
import re
from pathlib import Path

import pytest
from django.test import Client as Browser

from portal_pages import ListView
from tests.portal_pages.customers import COLUMNS, CUSTOMERS, CustomerQueries, customer_pages
from tests.portal_pages.site import PAGE, Site

HTMX = {"hx-request": "true", "hx-target": "list"}
ROWS = {"hx-request": "true", "hx-target": "rows"}
LIST = """{% extends "portal/list.html" %}
{% block row %}<td><form method="post" action="/locale">{{ csrf_input }}
{% include "portal/parts/page_account.html" %}
{{ row.name }}, {{ essentials.name }}, {{ shell.app_name }}</form></td>{% endblock %}"""


@pytest.fixture
def pages(settings, tmp_path: Path) -> object:
    """A list whose rows have forms."""
    (tmp_path / "forms.html").write_text(LIST)
    settings.TEMPLATES = copy.deepcopy(settings.TEMPLATES)
    settings.TEMPLATES[0]["DIRS"].append(tmp_path)
    view = ListView(hook=CustomerQueries.use_get_customers_query, columns=COLUMNS, template="forms.html")
    return customer_pages(list=view)


@pytest.mark.parametrize("headers", [{}, HTMX, ROWS], ids=["whole", "for htmx", "rows for htmx"])
def test_a_form_in_a_row_can_be_sent_from_each_view_of_the_list(site: Site, headers: dict[str, str]) -> None:
    site.backend.lists(CUSTOMERS, [{"id": "c1", "name": "Ada"}])
    browser = Browser(enforce_csrf_checks=True, headers={"accept": "text/html", "sec-fetch-mode": "navigate"})
    browser.cookies = site.browser.cookies
    tokens = []
    for _ in range(2):
        page = browser.get(PAGE, headers=headers).content.decode()
        form = page[page.index("<td>") :].partition("</form>")[0]
        assert "Ada, Ada Lovelace, Energy" in form
        assert 'name="madeFor"' in form
        [token] = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', form)
        tokens.append(token)
        assert browser.post("/locale", {"locale": "en", "csrfmiddlewaretoken": token}).status_code == 303
    assert len(set(tokens)) == 2
