"""The query layer: cached reads, lists with cursors, and writes that cached lists show at once.

Services declare endpoints with the names of this module. Applications call the hooks that come out.

A read runs from top to bottom; each step gets a value back from the step below::

    hooks                use_get_clients_query(request, q="oslo")
      client                 a sign-in that is over takes its cached data with it
        events                   outcomes of reads and writes, counted
        results                  responses, decoded or copied: what hooks return
        reads                    the steps of a read
          request_sign_in            has this request read the query already? which cache does its token open?
            sign_in_caches               caches by the hash of an access token; hand-on, purges
          cache                      pages in the store, and the writes that they lack
          (single flight)            does another thread fetch this page now? `portal.process`
          calls                      GET, with further tries
          row_checks                 rows that contradict a parameter of their read

A write does the same in the other order::

    hooks                use_create_client_mutation(request).mutate(body=…)
      client
        writes                   the positions of the write logs; then the call; then one record for each endpoint
          calls                      POST, PUT, PATCH or DELETE, with one further try
          cache                      the record, which every later read applies

    offered_calls        the calls and parameters that the backend is declared to have
    resources            resource(): the hooks of one resource
    rows                 rows, parameters and bodies: what a team declares of the data
    endpoints            what is declared, as data       process_state   what the requests of a process share

The design, its words and its invariants: docs/explanation/query-cache.md.
"""

# Of an installed package, type checkers take only what is imported under its own name.
from portal.query.calls import BackendCaller as BackendCaller
from portal.query.client import QueryClient as QueryClient
from portal.query.client import client_of as client_of
from portal.query.client import create_query_client as create_query_client
from portal.query.endpoints import REGISTRY as REGISTRY
from portal.query.endpoints import DeclaredList as DeclaredList
from portal.query.endpoints import DeclaredMutation as DeclaredMutation
from portal.query.endpoints import DeclaredQuery as DeclaredQuery
from portal.query.endpoints import Endpoint as Endpoint
from portal.query.endpoints import QuerySpec as QuerySpec
from portal.query.endpoints import filter_of as filter_of
from portal.query.endpoints import same_params as same_params
from portal.query.events import MutationEvent as MutationEvent
from portal.query.events import QueryEvent as QueryEvent
from portal.query.hooks import MutationGroup as MutationGroup
from portal.query.hooks import MutationHook as MutationHook
from portal.query.hooks import PaginatedQueryHook as PaginatedQueryHook
from portal.query.hooks import QueryGroup as QueryGroup
from portal.query.hooks import QueryHook as QueryHook
from portal.query.hooks import check_endpoints as check_endpoints
from portal.query.hooks import create_mutation_group as create_mutation_group
from portal.query.hooks import create_query_group as create_query_group
from portal.query.hooks import mutation_endpoint as mutation_endpoint
from portal.query.hooks import paginated_query_endpoint as paginated_query_endpoint
from portal.query.hooks import query_endpoint as query_endpoint
from portal.query.hooks import use_queries as use_queries
from portal.query.offered_calls import NO_CALL as NO_CALL
from portal.query.offered_calls import offers as offers
from portal.query.offered_calls import optional_names as optional_names
from portal.query.process_state import process_runtime as process_runtime
from portal.query.reads import WalkedPage as WalkedPage
from portal.query.reads import walk_list as walk_list
from portal.query.resources import Resource as Resource
from portal.query.resources import RowTotals as RowTotals
from portal.query.resources import resource as resource
from portal.query.results import MutationResult as MutationResult
from portal.query.results import PaginatedRes as PaginatedRes
from portal.query.results import PaginatedResult as PaginatedResult
from portal.query.results import QueryResult as QueryResult
from portal.query.results import versions_of as versions_of
from portal.query.row_checks import in_order as in_order
from portal.rows import ActivityEntry as ActivityEntry
from portal.rows import CommonSort as CommonSort
from portal.rows import ListParams as ListParams
from portal.rows import OpenEnum as OpenEnum
from portal.rows import Params as Params
from portal.rows import Partial as Partial
from portal.rows import Record as Record
from portal.rows import Row as Row
from portal.rows import RowParams as RowParams
from portal.rows import Values as Values
from portal.rows import field as field
from portal.rows import field_types as field_types
from portal.rows import literal_params as literal_params
from portal.rows import to_json as to_json
