"""Whether a request is a page navigation, which may be answered with a redirect (contract, section 5). Pure."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

_PAGES = frozenset({"text/html", "application/xhtml+xml"})
#: A longer header is not cached.
_CACHED_CHARS = 256


class NavigationHeaders(Protocol):
    """The headers that tell; None if the request has none. `RequestContext` has them."""

    @property
    def accept(self) -> str | None:
        """`Accept`"""

    @property
    def fetch_mode(self) -> str | None:
        """`Sec-Fetch-Mode`"""

    @property
    def requested_with(self) -> str | None:
        """`X-Requested-With`"""

    @property
    def htmx(self) -> str | None:
        """`HX-Request`"""


class _Headers(NamedTuple):
    accept: str | None
    fetch_mode: str | None
    requested_with: str | None
    htmx: str | None


def navigation_headers(meta: Mapping[str, str]) -> NavigationHeaders:
    """The headers that tell, from a request's `META`."""
    return _Headers(
        accept=meta.get("HTTP_ACCEPT"),
        fetch_mode=meta.get("HTTP_SEC_FETCH_MODE"),
        requested_with=meta.get("HTTP_X_REQUESTED_WITH"),
        htmx=meta.get("HTTP_HX_REQUEST"),
    )


def is_htmx(context: NavigationHeaders) -> bool:
    """Whether htmx sent the request. Its header `HX-Request` is exactly "true"."""
    return context.htmx == "true"


def is_navigation(context: NavigationHeaders) -> bool:
    """Whether a browser shows the response as a page.

    It does not if `Sec-Fetch-Mode` is other than `navigate`, if `X-Requested-With` is present, if htmx sent the
    request, or if `Accept` names no page type and is not exactly `*/*`. A request without `Accept` is a navigation.
    """
    if context.fetch_mode is not None and context.fetch_mode != "navigate":
        return False
    if context.requested_with is not None or is_htmx(context):
        return False
    if not context.accept:
        return True
    return (_cached_names_a_page if len(context.accept) <= _CACHED_CHARS else _names_a_page)(context.accept)


def _names_a_page(accept: str) -> bool:
    accept = accept.strip()
    if accept in {"", "*/*"}:
        return True
    return any(member.partition(";")[0].strip().lower() in _PAGES for member in accept.split(","))


# Browsers send few different headers.
_cached_names_a_page = lru_cache(maxsize=256)(_names_a_page)
