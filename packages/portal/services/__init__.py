"""The backend's endpoints, declared: one module for each resource, one folder for each domain.

::

    endpoint_list      all that is declared, as data: for the command, the reference page and the tests
      searched_lists   what the search over everything looks through
      service_imports  imports all of it, and says what can't be imported
      auth · energy · finance · iam · operations
        user         the signed-in user's profile

Applications import a resource's own module (`from portal.services.energy.clients import ClientQueries`), and from here
`use_queries`, for several queries of one page at the same time, `RowParams`, and what the backend
offers (`offers`). Addresses and shapes: contract, section 7.

Of a row only `id` is required: a field that the backend leaves out has its default.
"""

from portal.query import Partial, RowParams, offers, use_queries
