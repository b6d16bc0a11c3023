"""What a decision is made from, and what a forwarded request carries on. Values only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from portal.identity.token_cache import NO_TOKEN, TokenCheck

if TYPE_CHECKING:
    from portal.config.platforms import TPlatform
    from portal.edge.routes.site import Site
    from portal.identity.users import DecodedUser


class RequestContext(NamedTuple):
    """One request, as far as the edge looks at it.

    A named tuple and not a dataclass: it is made for every request, and is made in a third of the time.
    Headers and cookies are None where the request has none.
    """

    site: Site
    method: str
    #: Decoded, as the URL resolver will see it.
    path: str
    #: Raw, without the question mark.
    query: str = ""
    #: What the cookie VAR_ACCESS_TOKEN is worth now.
    access: TokenCheck = NO_TOKEN
    #: Whether there is a cookie VAR_REFRESH_TOKEN.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeUser:
    """What the edge knows about who asks: `request.edge_user` in every view.

    :param signed_in: by the token, or by a refresh token that can give one.
    :param user: from the access token; None without one that decodes (and verifies).
    :param platforms: token, then cookie, then empty; in the registry's order.
    :param primary: the platform whose home is the user's.
    :param locale: the path's; on ungated paths the visitor's.
    :param home_url: the default home: a path on this app, or an address elsewhere.
    :param unjudged: the key of the only token is not known yet: whether they are signed in can't be said now.
    """

    signed_in: bool
    user: DecodedUser | None
    platforms: tuple[TPlatform, ...]
    primary: TPlatform | None
    locale: str
    home_url: str
    unjudged: bool = False
