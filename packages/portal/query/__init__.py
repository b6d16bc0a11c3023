"""The query layer: cached reads, cursor lists, writes that show in cached lists at once.

Services declare endpoints with this module's names; applications call the hooks that come out.
"""

from __future__ import annotations

from portal.query.client import QueryClient, client_of, create_query_client
from portal.query.endpoints import REGISTRY, DeclaredMutation, Endpoint, QuerySpec, Variables
from portal.query.events import QueryEvent
from portal.query.hooks import (
    Mutation,
    MutationGroup,
    MutationHook,
    PaginatedQueryHook,
    QueryGroup,
    QueryHook,
    check_endpoints,
    create_mutation_group,
    create_query_group,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
    use_queries,
)
from portal.query.results import MutationResult, PaginatedRes, PaginatedResult, QueryResult

__all__ = [
    "REGISTRY",
    "DeclaredMutation",
    "Endpoint",
    "Mutation",
    "MutationGroup",
    "MutationHook",
    "MutationResult",
    "PaginatedQueryHook",
    "PaginatedRes",
    "PaginatedResult",
    "QueryClient",
    "QueryEvent",
    "QueryGroup",
    "QueryHook",
    "QueryResult",
    "QuerySpec",
    "Variables",
    "check_endpoints",
    "client_of",
    "create_mutation_group",
    "create_query_client",
    "create_query_group",
    "mutation_endpoint",
    "paginated_query_endpoint",
    "query_endpoint",
    "use_queries",
]
