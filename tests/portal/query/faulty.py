"""A list whose mutation has the helper that a test gives it."""

from collections.abc import Callable
from functools import partial
from operator import methodcaller
from typing import Any, TypedDict

from portal.query import MutationGroup, QueryGroup, mutation_endpoint, paginated_query_endpoint, query_endpoint
from portal.query.endpoints.registry import Registry
from tests.portal.query.world import User


class Thing(TypedDict, total=False):
    id: str
    name: str


class ThingsParams(TypedDict, total=False):
    q: str
    sort: str


class ThingParams(TypedDict):
    id: str


class Faulty:
    """A list of things, in a process that has seen its backend search; and one mutation with the helper of a test."""

    def __init__(self, user: User) -> None:
        self.user, self.world, self.registry = user, user.world, Registry()
        self.rows = [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]
        self.answer: Any = {"id": "n", "name": "N"}

        class Queries(QueryGroup, domain="faulty", registry=self.registry):
            use_get_things_query = paginated_query_endpoint(item=Thing, params=ThingsParams, url="/things")
            use_get_thing_query = query_endpoint(data=Thing, params=ThingsParams, url="/thing")

        self.queries = Queries

    def request(self) -> Any:
        return self.user.request(registry=self.registry)

    def rows_shown(self, params: Any = None, **options: Any) -> tuple[Any, ...]:
        self.serve()
        return self.queries.use_get_things_query(self.request(), params, **options).data.items

    def shown(self, params: Any = None, **options: Any) -> list[Any]:
        return [row["id"] for row in self.rows_shown(params, **options)]

    def write(self, declare: Callable[[Any], Any], *, body: Any = None, on_success: Any = None) -> Any:
        self.serve()

        class Mutations(MutationGroup, domain="faulty", registry=self.registry):
            use_write_mutation = declare(mutation_endpoint(data=dict, body=dict, url="/write", method="POST"))

        self.called: list[Any] = []
        mutation = Mutations.use_write_mutation(self.request(), on_success=on_success or self.called.append)
        return mutation.mutate(body=body or {})

    def fetched(self) -> int:
        return self.world.backend.counted()["GET", "/things"]

    def serve(self) -> None:
        self.world.backend.open_paths = {
            "/things": {"items": self.rows, "hasNext": False, "nextCursor": None},
            "/thing": {"id": "a"},
            "/write": self.answer,
        }


def _helps(helper: str, select: Any = lambda data: data, matches: Any = None) -> Callable[[Any], Any]:
    return methodcaller(helper, list_query_key="get_things", select_list_item=select, matches=matches)


adds, merges = partial(_helps, "add_created_to_paginated_list"), partial(_helps, "merge_updated_in_paginated_list")


def removes(get: Any) -> Callable[[Any], Any]:
    return lambda endpoint: endpoint.remove_from_paginated_list(list_query_key="get_things", get_deleted_id=get)
