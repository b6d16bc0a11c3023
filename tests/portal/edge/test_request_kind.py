"""What a person's browser shows as a page, and what a program reads."""

import pytest

from portal.edge.request_context import is_navigation

PAGES = ("", " */* ", "TEXT/HTML;q=0.9", "application/xhtml+xml")
DATA = ("application/json", "*/*;q=0.8", "text/*", "text/html-fragment")


@pytest.mark.parametrize(
    ("headers", "navigation"),
    [
        *(({"ACCEPT": accept}, True) for accept in PAGES),
        *(({"ACCEPT": accept}, False) for accept in DATA),
        ({}, True),
        *(({"SEC_FETCH_MODE": mode, "ACCEPT": "text/html"}, False) for mode in ("cors", "NAVIGATE", "")),
        ({"SEC_FETCH_MODE": "navigate", "ACCEPT": "application/json"}, False),
        ({"SEC_FETCH_MODE": "navigate", "X_REQUESTED_WITH": "x"}, False),
        ({"X_REQUESTED_WITH": "XMLHttpRequest", "ACCEPT": "text/html"}, False),
        ({"HX_REQUEST": "false"}, True),
        ({"HX_REQUEST": "true"}, False),
    ],
    ids=str,
)
def test_a_request_is_a_page_navigation_or_not(headers, navigation) -> None:
    assert is_navigation({f"HTTP_{name}": value for name, value in headers.items()}) is navigation
