"""The hooks that a process declares."""

from __future__ import annotations

from typing import Any

from portal.query import MutationGroup, QueryGroup, mutation_endpoint, query_endpoint
from portal.query.endpoints.registry import Registry


def test_what_a_module_declared_is_forgotten_and_may_be_declared_again() -> None:
    registry = Registry()

    def declare() -> Any:
        class Queries(QueryGroup, domain="a", registry=registry):
            use_get_x_query = query_endpoint(data=dict, url="/x")

        class Mutations(MutationGroup, domain="a", registry=registry):
            use_do_x_mutation = mutation_endpoint(url="/x", method="POST")

        return Queries

    declare()
    registry.forget("another.module")
    assert (list(registry.queries), list(registry.mutations)) == (["a.get_x"], ["a.do_x"])
    declare()
    assert [hook.key for hook in registry.duplicates] == ["a.get_x", "a.do_x"]
    registry.forget(__name__)
    assert (registry.queries, registry.mutations, registry.duplicates) == ({}, {}, [])
    last = declare()
    assert registry.queries["a.get_x"] is last.use_get_x_query
    assert registry.duplicates == []
