"""Endpoints as data: what is declared, and one call of it, down to its address. Nothing here reads or writes.

::

    registry             the hooks of this process, by key
      list_helpers       DeclaredMutation; what a write changes in cached lists
        declarations     Endpoint, DeclaredQuery, DeclaredList: what the hooks of `portal.query.hooks` declare
    requests             one call for the client: ReadRequest, ListRequest, WriteRequest
      keys               the identity of a cached query
      urls               the address of a call
        params           parameters: checked, and as text
"""

from __future__ import annotations

from portal.query.endpoints.declarations import DeclaredList, DeclaredQuery, Endpoint, ReadOptions
from portal.query.endpoints.keys import QueryKey, canonical_json, query_key
from portal.query.endpoints.list_helpers import (
    LIST_HELPERS,
    DeclaredMutation,
    Effect,
    Invalidation,
    ListHelper,
    Method,
    Variables,
    same_params,
)
from portal.query.endpoints.params import OF_THE_CALL, checked_params, given_params, named_params, parameter_names
from portal.query.endpoints.registry import REGISTRY, Registry
from portal.query.endpoints.requests import ListRequest, QuerySpec, ReadRequest, WriteRequest
from portal.query.endpoints.urls import Address, Url, address, check_template, is_path
