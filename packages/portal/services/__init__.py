"""The backend's endpoints, declared: one module for each resource, one folder for each domain.

::

    endpoint_list      all that is declared, as data: for the command, the reference page and the tests
      service_imports  imports all of it, and says what can't be imported
      auth · energy · finance · iam · operations
        user         the signed-in user's profile
          rows       Row, RowParams, ListParams; where a written row belongs in a list

Applications import a resource's own module (`from portal.services.energy.clients import ClientQueries`), and from here
`use_queries`, for several queries of one page at the same time. Addresses and shapes: contract, section 7.

Of a row only `id` is required. The other fields are named for readers; a field that is not named is kept as it came.
"""

from __future__ import annotations

from portal.query import use_queries
