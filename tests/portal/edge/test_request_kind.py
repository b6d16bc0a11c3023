"""What a person's browser shows as a page, and what a program reads."""

from __future__ import annotations

import pytest

from portal.edge.request_context import RequestContext, is_navigation
from tests.support.four_apps import SITES


def context(**headers: str | None) -> RequestContext:
    return RequestContext(SITES["energy"], "GET", "/en/energy", **headers)


@pytest.mark.parametrize(
    ("headers", "navigation"),
    [
        ({}, True),
        ({"accept": ""}, True),
        ({"accept": "*/*"}, True),
        ({"accept": " */* "}, True),
        ({"accept": "text/html"}, True),
        ({"accept": "TEXT/HTML;q=0.9"}, True),
        ({"accept": "application/xhtml+xml"}, True),
        ({"fetch_mode": "navigate"}, True),
        ({"htmx": "false"}, True),
        # Not a page.
        ({"accept": "application/json"}, False),
        ({"accept": "*/*;q=0.8"}, False),
        ({"accept": "application/json, */*"}, False),
        ({"accept": "text/*"}, False),
        ({"accept": "text/html-fragment"}, False),
        ({"fetch_mode": "cors", "accept": "text/html"}, False),
        ({"fetch_mode": "NAVIGATE"}, False),
        ({"fetch_mode": ""}, False),
        ({"requested_with": "XMLHttpRequest", "accept": "text/html"}, False),
        ({"htmx": "true"}, False),
        ({"fetch_mode": "navigate", "accept": "application/json"}, False),
        ({"fetch_mode": "navigate", "requested_with": "x"}, False),
    ],
    ids=str,
)
def test_a_request_is_a_page_navigation_or_not(headers, navigation) -> None:
    assert is_navigation(context(**headers)) is navigation
