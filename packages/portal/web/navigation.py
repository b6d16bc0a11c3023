"""Who asks, and so whether an error is a page, a problem document, or for htmx also an address to go to.

By the edge's own rules (contract, section 5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlencode

from portal.edge import is_htmx, is_navigation, login_url_from
from portal.web.request import facts_of, site_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


#: Why somebody was led to the sign-in page: a parameter of its address, and what it may say.
REASON_PARAM: Final = "reason"
#: Nobody knows what became of the newest refresh token, and it may not be presented again.
RENEWAL_LOST: Final = "renewal-lost"


class _Headers(NamedTuple):
    accept: str | None
    fetch_mode: str | None
    requested_with: str | None
    htmx: str | None


def is_page_navigation(request: HttpRequest) -> bool:
    """Whether a person's browser shows the answer to this request as a page."""
    return is_navigation(_headers(request))


def lead_to_login(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Have htmx go to the sign-in page, which leads back to the page on which it asked."""
    if is_htmx(_headers(request)):
        current_url = request.META.get("HTTP_HX_CURRENT_URL")
        response["HX-Redirect"] = login_url_from(
            site_of(request), locale=facts_of(request).locale, current_url=current_url
        )
    return response


def login_url(request: HttpRequest, *, reason: str) -> str:
    """The sign-in page, which says why and leads back by the rules of the edge's second row.

    To the page that was asked for; for what a page sent, or htmx, to the page on which that was done.

    :param reason: one that the sign-in page knows.
    """
    meta = request.META
    if not is_page_navigation(request):
        back = meta.get("HTTP_HX_CURRENT_URL")
    else:
        back = request.get_full_path() if request.method in {"GET", "HEAD"} else meta.get("HTTP_REFERER")
    url = login_url_from(site_of(request), locale=facts_of(request).locale, current_url=back)
    return f"{url}{'&' if '?' in url else '?'}{urlencode({REASON_PARAM: reason})}"


def lead_home(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Have htmx go to the default home."""
    if is_htmx(_headers(request)):
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
