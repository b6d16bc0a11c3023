"""One request in the words of the contract's table: locale, navigation, signed in, user. Pure.

An `Evaluation` is made for each request that :func:`portal.edge.rules.cached_forward` does not answer.
"""

from functools import lru_cache

from portal.config.cookies import MAX_PLATFORMS_COOKIE_CHARS, VAR_PERMITTED_PLATFORMS, VAR_SELECTED_LOCALE
from portal.edge.locale_negotiation import negotiate_locale
from portal.edge.paths import encode_query
from portal.edge.request_context import EdgeUser, RequestContext, is_htmx, is_navigation
from portal.edge.site import PathInfo, Site
from portal.identity import TokenCheck, TokenState, parse_platforms_cookie, primary_platform

_CACHED_USERS = 1024


class Evaluation:
    """One request.

    :ivar path: the request's path on this site.
    :ivar reads: the method is GET or HEAD.
    :ivar signed_in: the access token is valid, or a refresh token is present.
    """

    __slots__ = ("_user", "context", "path", "reads", "signed_in")

    def __init__(self, context: RequestContext, path: PathInfo) -> None:
        self.context = context
        self.path = path
        self.reads = context.method in {"GET", "HEAD"}
        self.signed_in = context.refreshable or context.access.state is TokenState.VALID
        self._user: EdgeUser | None = None

    def locale(self) -> str:
        """The path's locale, else the visitor's."""
        return self.path.locale or negotiate_locale(
            cookie=self.context.cookies.get(VAR_SELECTED_LOCALE),
            accept_language=self.context.meta.get("HTTP_ACCEPT_LANGUAGE"),
        )

    def user(self) -> EdgeUser:
        """The user of this request."""
        if self._user is None:
            context, cookie = self.context, self.context.cookies.get(VAR_PERMITTED_PLATFORMS)
            if cookie is not None and len(cookie) > MAX_PLATFORMS_COOKIE_CHARS:
                cookie = None  # counts as empty, and would make the cache's key long
            self._user = _edge_user(context.site, context.access, context.refreshable, cookie, self.locale())
        return self._user

    def query(self) -> str:
        """The query with its question mark, as in an address; empty without a query."""
        query: str = self.context.meta.get("QUERY_STRING", "")
        return f"?{encode_query(query)}" if query else ""

    def is_navigation(self) -> bool:
        """Whether a browser shows the response as a page."""
        return is_navigation(self.context.meta)

    def is_htmx(self) -> bool:
        """Whether htmx sent the request."""
        return is_htmx(self.context.meta)

    def ends_sign_in(self) -> bool:
        """Whether the access token is dead and no refresh token can replace it."""
        state = self.context.access.state
        return not self.context.refreshable and (state is TokenState.EXPIRED or state is TokenState.INVALID)


@lru_cache(maxsize=_CACHED_USERS)
def _edge_user(
    site: Site, access: TokenCheck, refreshable: bool, platforms_cookie: str | None, locale: str
) -> EdgeUser:
    """The user of a sign-in (requirements, "Platform resolution order": token, then cookie, then empty)."""
    signed_in = refreshable or access.state is TokenState.VALID
    # The claims of an expired token count as long as the token can be refreshed.
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
        unverifiable=not refreshable and access.state is TokenState.UNVERIFIABLE,
    )
