"""Endpoints for tests: a list whose one mutation removes, adds and merges, declared in another order."""

from __future__ import annotations

from typing import Any, TypedDict

from portal.query import MutationGroup, QueryGroup, mutation_endpoint, paginated_query_endpoint
from tests.support.client_endpoints import REGISTRY


class Thing(TypedDict, total=False):
    id: str
    name: str


class MoveReq(TypedDict):
    gone: str


class ThingQueries(QueryGroup, domain="tests_things", registry=REGISTRY):
    use_get_things_query = paginated_query_endpoint(item=Thing, url="/things")
    use_get_all_things_query = paginated_query_endpoint(item=Thing, url="/things/all", unique_by=False)


class ThingMutations(MutationGroup, domain="tests_things", registry=REGISTRY):
    use_move_thing_mutation = (
        mutation_endpoint(data=dict[str, Any], body=MoveReq, url="/things/move", method="POST")
        .merge_updated_in_paginated_list(list_query_key="get_things", select_list_item=lambda data: data["changed"])
        .add_created_to_paginated_list(list_query_key="get_things", select_list_item=lambda data: data["made"])
        .remove_from_paginated_list(list_query_key="get_things", get_deleted_id=lambda sent: sent.body["gone"])
    )


MOVE = ThingMutations.use_move_thing_mutation
