"""The input of a decision, and the user that a forwarded request carries on. Values only.

Headers and cookies of a request are read here and nowhere else in the edge. Its headers also tell what kind of request
it is, such as a navigation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from portal.config.cookies import VAR_PERMITTED_PLATFORMS, VAR_SELECTED_LOCALE
from portal.identity import NO_TOKEN, DecodedUser, TokenCheck

if TYPE_CHECKING:
    from portal.config.platforms import TPlatform
    from portal.edge.site import Site

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


class IncomingTokens(Protocol):
    """The two tokens of a request's cookies. Where a cookie comes twice, the last one counts."""

    @property
    def access(self) -> str | None:
        """VAR_ACCESS_TOKEN"""

    @property
    def refresh(self) -> str | None:
        """VAR_REFRESH_TOKEN"""


class IncomingRequest(Protocol):
    """The part of Django's `HttpRequest` that the edge reads."""

    META: dict[str, Any]
    path_info: str
    method: str | None

    @property
    def COOKIES(self) -> dict[str, str]:  # noqa: N802  Django's name
        """Name to value."""
        ...


class RequestContext(NamedTuple):
    """The parts of one request that a decision depends on.

    A named tuple takes a third of the time that a dataclass takes to make, and one is made for each request.
    A header or cookie that the request lacks is None.
    """

    site: Site
    method: str
    #: Decoded, as the URL resolver will see it.
    path: str
    #: Raw, without the question mark.
    query: str = ""
    #: The state of VAR_ACCESS_TOKEN now.
    access: TokenCheck = NO_TOKEN
    #: Whether the request has a cookie VAR_REFRESH_TOKEN.
    refreshable: bool = False
    platforms_cookie: str | None = None
    locale_cookie: str | None = None
    accept_language: str | None = None
    accept: str | None = None
    #: `Sec-Fetch-Mode`
    fetch_mode: str | None = None
    #: `X-Requested-With`
    requested_with: str | None = None
    #: `HX-Request`
    htmx: str | None = None
    #: `HX-Current-URL`
    current_url: str | None = None
    #: `Referer`
    referer: str | None = None

    @classmethod
    def from_request(
        cls, request: IncomingRequest, *, tokens: IncomingTokens, site: Site, access: TokenCheck
    ) -> RequestContext:
        """Read a request.

        The path is `path_info`, as for Django's URL resolver: the edge gates the path that is resolved.

        :param access: the state of `tokens.access`.
        """
        meta, cookies = request.META, request.COOKIES
        return cls(
            site,
            request.method or "GET",
            request.path_info,
            meta.get("QUERY_STRING", ""),
            access,
            bool(tokens.refresh),
            cookies.get(VAR_PERMITTED_PLATFORMS),
            cookies.get(VAR_SELECTED_LOCALE),
            meta.get("HTTP_ACCEPT_LANGUAGE"),
            meta.get("HTTP_ACCEPT"),
            meta.get("HTTP_SEC_FETCH_MODE"),
            meta.get("HTTP_X_REQUESTED_WITH"),
            meta.get("HTTP_HX_REQUEST"),
            meta.get("HTTP_HX_CURRENT_URL"),
            meta.get("HTTP_REFERER"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeUser:
    """The user of a request, as the edge knows them: `request.edge_user` in every view.

    :param signed_in: the access token is valid, or a refresh token is present.
    :param user: the claims of the access token; None if it does not decode (or does not verify).
    :param platforms: from the token, else from the cookie, else empty; in the registry's order.
    :param primary: the platform whose home is this user's home.
    :param locale: the path's locale; on ungated paths the visitor's.
    :param home_url: the default home: a path on this app, or an absolute address of another app.
    :param unverifiable: the only token is signed with a key that is not known yet, so `signed_in` may change.
    """

    signed_in: bool
    user: DecodedUser | None
    platforms: tuple[TPlatform, ...]
    primary: TPlatform | None
    locale: str
    home_url: str
    unverifiable: bool = False
