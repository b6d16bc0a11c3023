"""Endpoints as data: what is declared, and one call of it, down to its address. Nothing here reads or writes.

::

    registry             the hooks of this process, by key
      mutations          DeclaredMutation
        effects            what a write changes in cached queries: list helpers, set answers, invalidations
          declarations       Endpoint, DeclaredQuery, DeclaredList: what the hooks of `portal.query.hooks` declare
    requests             one call for the client: ReadRequest, ListRequest, WriteRequest
      urls               the address of a call, and the identity of a cached query
        params           parameters: checked, as text, and the field of a row that each is held against
"""

from portal.query.endpoints.declarations import DeclaredList, DeclaredQuery, Endpoint, ReadOptions, ResourceReadOptions
from portal.query.endpoints.effects import (
    ID_PARAM,
    LIST_HELPERS,
    Effect,
    Invalidation,
    ListHelper,
    SetAnswer,
    Variables,
    same_params,
)
from portal.query.endpoints.mutations import DeclaredMutation, Method
from portal.query.endpoints.params import (
    RowFilter,
    check_known,
    checked_params,
    filter_of,
    given_params,
    parameter_names,
    wire_value,
)
from portal.query.endpoints.registry import REGISTRY, Registry
from portal.query.endpoints.requests import ListRequest, QuerySpec, ReadRequest, WriteRequest
from portal.query.endpoints.urls import Address, QueryKey, Url, address, canonical_json, is_path, query_key
