"""Hooks: an endpoint is declared once, and the declaration is what views call.

::

    groups         QueryGroup, MutationGroup: a class whose attributes are hooks gives each its key
      lists        use_…_query of a list
        queries    use_…_query; use_queries: several reads at the same time
      mutations    use_…_mutation
    checks         system checks of all that is declared

A hook makes a request value (:mod:`portal.query.endpoints`) and hands it to the request's `QueryClient`.
"""

from portal.query.hooks.checks import check_endpoints
from portal.query.hooks.groups import MutationGroup, QueryGroup, create_mutation_group, create_query_group
from portal.query.hooks.lists import PaginatedQueryHook, paginated_query_endpoint
from portal.query.hooks.mutations import MutationHook, mutation_endpoint
from portal.query.hooks.queries import QueryHook, query_endpoint, use_queries
