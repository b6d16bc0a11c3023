"""The input of a decision, and the user that a forwarded request carries on. Values only.

The headers of a request also tell what kind of request it is, such as a navigation.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from portal.config.platforms import TPlatform
from portal.edge.site import Site
from portal.identity import NO_TOKEN, DecodedUser, TokenCheck

_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_NOTHING: Mapping[str, Any] = MappingProxyType({})


def is_htmx(meta: Mapping[str, Any]) -> bool:
    """Whether htmx sent the request. Its header `HX-Request` is exactly "true".

    :param meta: the headers of a request, by WSGI's names.
    """
    return meta.get("HTTP_HX_REQUEST") == "true"


def is_navigation(meta: Mapping[str, Any]) -> bool:
    """Whether a browser shows the response as a page.

    It does not if `Sec-Fetch-Mode` is other than `navigate`, if `X-Requested-With` is present, if htmx sent the
    request, or if `Accept` names no page type and is not exactly `*/*`. A request without `Accept` is a navigation.
    """
    if meta.get("HTTP_SEC_FETCH_MODE", "navigate") != "navigate":
        return False
    if "HTTP_X_REQUESTED_WITH" in meta or is_htmx(meta):
        return False
    accept = meta.get("HTTP_ACCEPT", "").strip()
    if accept in {"", "*/*"}:
        return True
    return any(member.partition(";")[0].strip().lower() in _PAGES for member in accept.split(","))


class RequestContext(NamedTuple):
    """The parts of one request that a decision depends on.

    A named tuple takes a third of the time that a dataclass takes to make, and one is made for each request.
    """

    site: Site
    method: str
    #: Decoded, as the URL resolver will see it: Django's `path_info`.
    path: str
    #: The state of VAR_ACCESS_TOKEN now.
    access: TokenCheck = NO_TOKEN
    #: Whether the request has a cookie VAR_REFRESH_TOKEN.
    refreshable: bool = False
    #: The headers and the query, by WSGI's names.
    meta: Mapping[str, Any] = _NOTHING
    cookies: Mapping[str, str | None] = _NOTHING


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
