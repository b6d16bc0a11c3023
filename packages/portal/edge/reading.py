"""From Django's request to the edge's facts: the one place where headers and cookies are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from portal.config.cookies import VAR_PERMITTED_PLATFORMS, VAR_SELECTED_LOCALE
from portal.edge.request_context import RequestContext

if TYPE_CHECKING:
    from django.http import HttpRequest

    from portal.edge.routes.site import Site
    from portal.identity.token_cache import TokenCache


class IncomingTokens(Protocol):
    """The two tokens that a request brought."""

    @property
    def access(self) -> str | None:
        """VAR_ACCESS_TOKEN, the last where it comes twice."""

    @property
    def refresh(self) -> str | None:
        """VAR_REFRESH_TOKEN, likewise."""


def read_facts(
    request: HttpRequest, *, tokens: IncomingTokens, site: Site, known: TokenCache, now: float
) -> RequestContext:
    """The facts of one request.

    The path is `path_info`, which Django's URL resolver takes too: what is gated is what is resolved.

    :param now: seconds since the epoch.
    """
    meta, cookies = request.META, request.COOKIES
    return RequestContext(
        site,
        request.method or "GET",
        request.path_info,
        meta.get("QUERY_STRING", ""),
        known.read(tokens.access, now=now),
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
