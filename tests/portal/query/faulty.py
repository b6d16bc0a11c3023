"""A list whose mutation has the helper that a test gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from portal.query import MutationGroup, QueryGroup, mutation_endpoint, paginated_query_endpoint, query_endpoint
from portal.query.endpoints.registry import Registry
from tests.portal.query.fakes import Process, World

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.api.tokens import TokenStore
    from portal.query import QueryClient


class Thing(TypedDict, total=False):
    id: str
    name: str


class ThingsParams(TypedDict, total=False):
    q: str
    sort: str


class ThingParams(TypedDict):
    id: str


class Faulty:
    """A list of things, and one mutation with the helper that a test gives it."""

    def __init__(self, world: World, process: Process, tokens: TokenStore) -> None:
        self.world, self.process, self.tokens = world, process, tokens
        self.registry = Registry()
        self.rows = [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]
        self.answer: Any = {"id": "n", "name": "N"}
        registry = self.registry

        class Queries(QueryGroup, domain="faulty", registry=registry):
            use_get_things_query = paginated_query_endpoint(item=Thing, params=ThingsParams, url="/things")
            use_get_thing_query = query_endpoint(data=Thing, params=ThingsParams, url="/thing")

        self.queries = Queries

    def request(self) -> QueryClient:
        return self.process.request(self.tokens, registry=self.registry)

    def shown(self, params: Any = None) -> list[Any]:
        self.serve()
        return [row["id"] for row in self.queries.use_get_things_query(self.request(), params).data.items]

    def write(self, declare: Callable[[Any], Any], **call: Any) -> Any:
        self.serve()

        class Mutations(MutationGroup, domain="faulty", registry=self.registry):
            use_write_mutation = declare(mutation_endpoint(data=dict, body=dict, url="/write", method="POST"))

        self.called: list[Any] = []
        mutation = Mutations.use_write_mutation(self.request(), on_success=self.called.append)
        return mutation.mutate(body=call.pop("body", {}))

    def fetched(self) -> int:
        return self.world.backend.counted()["GET", "/things"]

    def serve(self) -> None:
        self.world.backend.open_paths = {
            "/things": {"items": self.rows, "hasNext": False, "nextCursor": None},
            "/thing": {"id": "a"},
            "/write": self.answer,
        }


def adds(select: Any = lambda data: data, matches: Any = None) -> Callable[[Any], Any]:
    return lambda endpoint: endpoint.add_created_to_paginated_list(
        list_query_key="get_things", select_list_item=select, matches=matches
    )


def merges(select: Any = lambda data: data, matches: Any = None) -> Callable[[Any], Any]:
    return lambda endpoint: endpoint.merge_updated_in_paginated_list(
        list_query_key="get_things", select_list_item=select, matches=matches
    )


def removes(get: Any) -> Callable[[Any], Any]:
    return lambda endpoint: endpoint.remove_from_paginated_list(list_query_key="get_things", get_deleted_id=get)
