"""The query layer: cached reads, lists with cursors, and writes that cached lists show at once.

Services declare endpoints with the names of this module. Applications call the hooks that come out.

A read runs from top to bottom; each step gets a value back from the step below::

    hooks                use_get_clients_query(request, q="oslo")
      client                 a sign-in that is over takes its cached data with it
        events                   what each read and write came to
        results                  responses, decoded or copied: what hooks return
        reads                    the steps of a read
          request_cache              has this request read the query already?
          request_partition          whose data: the namespace that the access token is bound to
            partition                    namespaces, token bindings, generations, purges
          cache                      pages in the store, and the writes that they lack
          (single flight)            does another thread fetch this page now? `portal.process`
          calls                      GET, with further tries
          gaps                       what the backend is known not to have, and which rows contradict a parameter

A write does the same in the other order::

    hooks                use_create_client_mutation(request).mutate(body=…)
      client
        writes                   the positions of the write logs; then the call; then one record for each endpoint
          calls                      POST, PUT, PATCH or DELETE, with one further try
          cache                      the record, which every later read applies

    list_reads           lists whose backend ignores or refuses a parameter
    query_layer          one backend and one cache, in a project that is not the portal's
    resources            resource(): the hooks of one resource
    rows                 rows, parameters and bodies: what a team declares of the data
    endpoints            what is declared, as data       process_state   what the requests of a process share

The design, its words and its invariants: docs/explanation/query-cache.md.
"""

from __future__ import annotations

from portal.query.cache import KeyUse, endpoints_by_digest, read_key
from portal.query.client import QueryClient, client_of, create_query_client
from portal.query.endpoints import (
    REGISTRY,
    DeclaredMutation,
    DeclaredQuery,
    Endpoint,
    QuerySpec,
    filter_of,
    same_params,
)
from portal.query.events import MutationEvent, QueryEvent
from portal.query.hooks import (
    MutationGroup,
    MutationHook,
    PaginatedQueryHook,
    QueryGroup,
    QueryHook,
    bare_spec,
    check_endpoints,
    create_mutation_group,
    create_query_group,
    forget_gaps,
    ignores,
    is_absent,
    is_known,
    mutation_endpoint,
    note_absent,
    paginated_query_endpoint,
    query_endpoint,
    use_queries,
)
from portal.query.partition import principal_of_id, principals_of_user
from portal.query.process_state import process_runtime
from portal.query.query_layer import QueryLayer
from portal.query.reads import WalkedPage
from portal.query.resources import Resource, resource
from portal.query.results import MutationResult, PaginatedRes, PaginatedResult, QueryResult
from portal.rows import (
    ListParams,
    OpenEnum,
    Params,
    Partial,
    Record,
    Row,
    RowParams,
    Values,
    field,
    field_types,
    to_json,
)

# Of an installed package, type checkers take only what this names. A test holds it against the imports.
__all__ = [
    "REGISTRY",
    "DeclaredMutation",
    "DeclaredQuery",
    "Endpoint",
    "KeyUse",
    "ListParams",
    "MutationEvent",
    "MutationGroup",
    "MutationHook",
    "MutationResult",
    "OpenEnum",
    "PaginatedQueryHook",
    "PaginatedRes",
    "PaginatedResult",
    "Params",
    "Partial",
    "QueryClient",
    "QueryEvent",
    "QueryGroup",
    "QueryHook",
    "QueryLayer",
    "QueryResult",
    "QuerySpec",
    "Record",
    "Resource",
    "Row",
    "RowParams",
    "Values",
    "WalkedPage",
    "bare_spec",
    "check_endpoints",
    "client_of",
    "create_mutation_group",
    "create_query_client",
    "create_query_group",
    "endpoints_by_digest",
    "field",
    "field_types",
    "filter_of",
    "forget_gaps",
    "ignores",
    "is_absent",
    "is_known",
    "mutation_endpoint",
    "note_absent",
    "paginated_query_endpoint",
    "principal_of_id",
    "principals_of_user",
    "process_runtime",
    "query_endpoint",
    "read_key",
    "resource",
    "same_params",
    "to_json",
    "use_queries",
]
