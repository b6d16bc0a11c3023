"""The query layer: cached reads, cursor lists, writes that show in cached lists at once.

Services declare endpoints with this module's names; applications call the hooks that come out.
"""

from __future__ import annotations

from portal.query.client import QueryClient, create_query_client
from portal.query.groups import MutationGroup, QueryGroup, create_mutation_group, create_query_group
from portal.query.mutation_endpoint import mutation_endpoint
from portal.query.mutations import Mutation, MutationEndpoint, MutationHook
from portal.query.paginated import PaginatedQueryEndpoint, PaginatedQueryHook, paginated_query_endpoint
from portal.query.queries import QueryEndpoint, QueryHook, query_endpoint
from portal.query.results import MutationResult, PaginatedRes, PaginatedResult, QueryResult
from portal.query.side_by_side import use_queries
from portal.query.specs import QuerySpec, Variables

__all__ = [
    "Mutation",
    "MutationEndpoint",
    "MutationGroup",
    "MutationHook",
    "MutationResult",
    "PaginatedQueryEndpoint",
    "PaginatedQueryHook",
    "PaginatedRes",
    "PaginatedResult",
    "QueryClient",
    "QueryEndpoint",
    "QueryGroup",
    "QueryHook",
    "QueryResult",
    "QuerySpec",
    "Variables",
    "create_mutation_group",
    "create_query_client",
    "create_query_group",
    "mutation_endpoint",
    "paginated_query_endpoint",
    "query_endpoint",
    "use_queries",
]
