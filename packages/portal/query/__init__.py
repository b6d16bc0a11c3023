"""The query layer: cached reads, cursor lists, writes that show in cached lists at once.

Services declare endpoints with this module's names; applications call the hooks that come out.
"""

from __future__ import annotations

from portal.query.client import QueryClient, create_query_client
from portal.query.endpoints.list_helpers import Variables
from portal.query.endpoints.requests import QuerySpec
from portal.query.hooks.groups import MutationGroup, QueryGroup, create_mutation_group, create_query_group
from portal.query.hooks.lists import PaginatedQueryHook, paginated_query_endpoint
from portal.query.hooks.mutations import Mutation, MutationHook, mutation_endpoint
from portal.query.hooks.parallel import use_queries
from portal.query.hooks.queries import QueryHook, query_endpoint
from portal.query.results import MutationResult, PaginatedRes, PaginatedResult, QueryResult

__all__ = [
    "Mutation",
    "MutationGroup",
    "MutationHook",
    "MutationResult",
    "PaginatedQueryHook",
    "PaginatedRes",
    "PaginatedResult",
    "QueryClient",
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
