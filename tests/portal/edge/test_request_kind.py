"""What a person's browser shows as a page, and what a program reads."""

import pytest

from portal.edge.request_context import RequestContext, is_navigation
from tests.portal.edge.four_apps import SITES


def context(**headers: str | None) -> RequestContext:
    return RequestContext(SITES["energy"], "GET", "/en/energy", **headers)


PAGES = ("", " */* ", "TEXT/HTML;q=0.9", "application/xhtml+xml")
DATA = ("application/json", "*/*;q=0.8", "text/*", "text/html-fragment")


@pytest.mark.parametrize(
    ("headers", "navigation"),
    [
        *(({"accept": accept}, True) for accept in PAGES),
        *(({"accept": accept}, False) for accept in DATA),
        ({}, True),
        *(({"fetch_mode": mode, "accept": "text/html"}, False) for mode in ("cors", "NAVIGATE", "")),
        ({"fetch_mode": "navigate", "accept": "application/json"}, False),
        ({"fetch_mode": "navigate", "requested_with": "x"}, False),
        ({"requested_with": "XMLHttpRequest", "accept": "text/html"}, False),
        ({"htmx": "false"}, True),
        ({"htmx": "true"}, False),
    ],
    ids=str,
)
def test_a_request_is_a_page_navigation_or_not(headers, navigation) -> None:
    assert is_navigation(context(**headers)) is navigation
