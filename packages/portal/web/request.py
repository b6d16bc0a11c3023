"""What the middleware left on a request, typed, for views and flows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from django.http import HttpRequest

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore
    from portal.edge import EdgeRequest, EdgeUser, Site
    from portal.process.deadline import Deadline
    from portal.query import QueryClient


#: Carried by every response (contract, section 6).
REQUEST_ID_RESPONSE_HEADER: Final = "X-Request-Id"


class ApiAccessRequest(HttpRequest):
    """The request with what the outermost middleware puts on it."""

    token_store: TokenStore
    api_deadline: Deadline
    query_client: QueryClient
    request_id: str


def facts_of(request: HttpRequest) -> EdgeUser:
    """What the edge knows about who asks."""
    return cast("EdgeRequest", request).edge_user


def site_of(request: HttpRequest) -> Site:
    """The application in its surroundings, as the edge sees it."""
    return cast("EdgeRequest", request).edge_site


def is_signed_in(request: HttpRequest) -> bool:
    """Whether there is a sign-in; no for a request that never reached the edge."""
    facts: EdgeUser | None = getattr(request, "edge_user", None)
    return facts is not None and facts.signed_in


def request_id_of(request: HttpRequest) -> str | None:
    """The request's id; None for a request that never reached our middleware."""
    return getattr(request, "request_id", None)


def deadline_of(request: HttpRequest) -> Deadline | None:
    """Until when its calls to the backend may take; None for a request that never reached our middleware."""
    return getattr(request, "api_deadline", None)


def tokens_of(request: HttpRequest) -> TokenStore:
    """The request's tokens."""
    return cast("ApiAccessRequest", request).token_store


def query_client_of(request: HttpRequest) -> QueryClient:
    """The user's own queries."""
    return cast("ApiAccessRequest", request).query_client
