"""What one request's facts amount to, in the words of the contract's table. Pure.

Made for every request. What follows from the path alone, or from the sign-in alone, is worked out once and kept.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from portal.config.cookies import MAX_PLATFORMS_COOKIE_CHARS
from portal.edge.http.locale_negotiation import negotiate_locale
from portal.edge.http.request_kind import is_htmx, is_navigation
from portal.edge.request_context import EdgeUser, RequestContext
from portal.edge.routes.paths import encode_query
from portal.identity.permissions import primary_platform
from portal.identity.platforms_cookie import parse_platforms_cookie
from portal.identity.token_cache import TokenCheck, TokenState

if TYPE_CHECKING:
    from portal.edge.routes.path_info import Route
    from portal.edge.routes.site import Site

_KEPT_USERS = 4096


class Situation:
    """One request.

    :ivar route: what its path is on this site.
    :ivar reads: whether the method is GET or HEAD.
    :ivar signed_in: whether there is a valid access token, or a refresh token that can give one.
    """

    __slots__ = ("_who", "facts", "reads", "route", "signed_in")

    def __init__(self, facts: RequestContext, route: Route) -> None:
        self.facts = facts
        self.route = route
        self.reads = facts.method in {"GET", "HEAD"}
        self.signed_in = facts.refreshable or facts.access.state is TokenState.VALID
        self._who: EdgeUser | None = None

    def locale(self) -> str:
        """The path's locale, else the visitor's."""
        return self.route.locale or negotiate_locale(
            cookie=self.facts.locale_cookie, accept_language=self.facts.accept_language
        )

    def who(self) -> EdgeUser:
        """The user: what a view may know, and what the gates ask."""
        if self._who is None:
            facts = self.facts
            self._who = _user_facts(
                facts.site, facts.access, facts.refreshable, _sound(facts.platforms_cookie), self.locale()
            )
        return self._who

    def query(self) -> str:
        """The query with its question mark as it stands in an address; empty without one."""
        return f"?{encode_query(self.facts.query)}" if self.facts.query else ""

    def is_navigation(self) -> bool:
        """Whether a person sees the answer as a page."""
        return is_navigation(self.facts)

    def is_htmx(self) -> bool:
        """Whether htmx asks."""
        return is_htmx(self.facts)

    def ends_sign_in(self) -> bool:
        """Whether a dead access token lies around with nothing to replace it."""
        state = self.facts.access.state
        return not self.facts.refreshable and (state is TokenState.EXPIRED or state is TokenState.INVALID)


def _sound(cookie: str | None) -> str | None:
    """The cookie, unless it is too long to be one: that counts as empty, and is not kept."""
    return cookie if cookie is not None and len(cookie) <= MAX_PLATFORMS_COOKIE_CHARS else None


@lru_cache(maxsize=_KEPT_USERS)
def _user_facts(
    site: Site, access: TokenCheck, refreshable: bool, platforms_cookie: str | None, locale: str
) -> EdgeUser:
    """The user behind a sign-in (requirements, "Platform resolution order": token, then cookie, then empty)."""
    signed_in = refreshable or access.state is TokenState.VALID
    # An expired token still speaks for itself while it can be refreshed.
    user = access.user if signed_in else None
    platforms = user.platforms if user else ()
    if signed_in and not platforms:
        platforms = parse_platforms_cookie(platforms_cookie)
    primary = primary_platform(platforms, role=user.role if user else None)
    return EdgeUser(
        signed_in=signed_in,
        user=user,
        platforms=platforms,
        primary=primary,
        locale=locale,
        home_url=site.home_url(locale=locale, platforms=platforms, primary=primary),
        unjudged=not refreshable and access.state is TokenState.UNVERIFIABLE,
    )
