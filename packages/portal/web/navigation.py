"""Who asks, and so whether an error is a page, a problem document, or for htmx also an address to go to.

By the edge's own rules (contract, section 5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from portal.edge import navigation
from portal.edge.routing import htmx_login_url
from portal.web.request_parts import facts_of, site_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


class _Headers(NamedTuple):
    accept: str | None
    fetch_mode: str | None
    requested_with: str | None
    htmx: str | None


def is_page_navigation(request: HttpRequest) -> bool:
    """Whether a person's browser shows the answer to this request as a page."""
    return navigation.is_navigation(_headers(request))


def lead_to_login(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Have htmx go to the sign-in page, which leads back to the page on which it asked."""
    if navigation.is_htmx(_headers(request)):
        current_url = request.META.get("HTTP_HX_CURRENT_URL")
        response["HX-Redirect"] = htmx_login_url(
            site_of(request), locale=facts_of(request).locale, current_url=current_url
        )
    return response


def lead_home(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Have htmx go to the default home."""
    if navigation.is_htmx(_headers(request)):
        response["HX-Redirect"] = facts_of(request).home_url
    return response


def _headers(request: HttpRequest) -> _Headers:
    meta = request.META
    return _Headers(
        accept=meta.get("HTTP_ACCEPT"),
        fetch_mode=meta.get("HTTP_SEC_FETCH_MODE"),
        requested_with=meta.get("HTTP_X_REQUESTED_WITH"),
        htmx=meta.get("HTTP_HX_REQUEST"),
    )
