"""Whether a request is a page navigation, which may be answered with a redirect (contract, section 5). Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.edge.request_context import RequestContext

_PAGES = frozenset({"text/html", "application/xhtml+xml"})


class NavigationHeaders(NamedTuple):
    """The headers that tell what sent a request; None if the request lacks one."""

    accept: str | None
    #: `Sec-Fetch-Mode`
    fetch_mode: str | None
    #: `X-Requested-With`
    requested_with: str | None
    #: `HX-Request`
    htmx: str | None


def navigation_headers(meta: Mapping[str, str]) -> NavigationHeaders:
    """Read them from a request's `META`."""
    return NavigationHeaders(
        accept=meta.get("HTTP_ACCEPT"),
        fetch_mode=meta.get("HTTP_SEC_FETCH_MODE"),
        requested_with=meta.get("HTTP_X_REQUESTED_WITH"),
        htmx=meta.get("HTTP_HX_REQUEST"),
    )


def is_htmx(headers: NavigationHeaders | RequestContext) -> bool:
    """Whether htmx sent the request. Its header `HX-Request` is exactly "true"."""
    return headers.htmx == "true"


def is_navigation(headers: NavigationHeaders | RequestContext) -> bool:
    """Whether a browser shows the response as a page.

    It does not if `Sec-Fetch-Mode` is other than `navigate`, if `X-Requested-With` is present, if htmx sent the
    request, or if `Accept` names no page type and is not exactly `*/*`. A request without `Accept` is a navigation.
    """
    if headers.fetch_mode is not None and headers.fetch_mode != "navigate":
        return False
    if headers.requested_with is not None or is_htmx(headers):
        return False
    accept = (headers.accept or "").strip()
    if accept in {"", "*/*"}:
        return True
    return any(member.partition(";")[0].strip().lower() in _PAGES for member in accept.split(","))
