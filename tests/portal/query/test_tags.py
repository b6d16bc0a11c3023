"""Tags: a write names what it concerns, and not every query that tells about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.query import (
    MutationGroup,
    QueryGroup,
    RowParams,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
)
from portal.query.endpoints.registry import Registry
from tests.portal.query.fakes import Process, World, unavailable

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore

REGISTRY = Registry()


class Mutations(MutationGroup, domain="writes", registry=REGISTRY):
    """Declared before the queries."""

    use_pay_mutation = mutation_endpoint(data=dict, url="/pay", method="POST").invalidates(tag="figures")
    use_rename_mutation = (
        mutation_endpoint(data=dict, params=RowParams, url="/one/{id}", method="PUT")
        .set_answer(query_key="reads.get_one")
        .invalidates(tag="figures")
    )


class Queries(QueryGroup, domain="reads", registry=REGISTRY):
    use_get_figures_query = query_endpoint(data=dict, url="/figures", tags=("figures", "more"))
    use_get_rows_query = paginated_query_endpoint(item=dict, url="/rows", tags=("figures",))
    use_get_one_query = query_endpoint(data=dict, params=RowParams, url="/one/{id}", tags=("figures",))
    use_get_other_query = query_endpoint(data=dict, url="/other", tags=("more",))


@pytest.fixture
def world() -> World:
    made = World()
    made.backend.open_paths = {
        "/figures": {"total": 1},
        "/rows": {"items": [{"id": "a"}], "hasNext": False},
        "/one/a": {"id": "a", "name": "one"},
        "/one/b": {"id": "b", "name": "two"},
        "/other": {},
        "/pay": {},
    }
    return made


def fetched(world: World, process: Process, tokens: TokenStore) -> list[str]:
    """The paths that are fetched when every query is read."""
    client = process.request(tokens, registry=REGISTRY)
    before = len(world.backend.calls)
    Queries.use_get_figures_query(client)
    Queries.use_get_rows_query(client)
    Queries.use_get_one_query(client, id="a")
    Queries.use_get_one_query(client, id="b")
    Queries.use_get_other_query(client)
    return [path for _, path, _ in world.backend.calls[before:] if path != "/me"]


@pytest.mark.parametrize("fails", [False, True], ids=["done", "nobody knows"])
def test_all_queries_with_the_tag_are_fetched_again_in_all_processes(
    world: World, process: Process, ada: TokenStore, fails: bool
) -> None:
    fetched(world, process, ada)
    world.backend.failures = [unavailable(), unavailable()] if fails else []
    assert Mutations.use_pay_mutation(process.request(ada, registry=REGISTRY)).mutate().is_success is not fails
    assert fetched(world, world.process(), ada) == ["/figures", "/rows", "/one/a", "/one/b"]
    assert fetched(world, process, ada) == []


def test_a_query_that_the_same_write_sets_shows_its_answer(world: World, process: Process, ada: TokenStore) -> None:
    fetched(world, process, ada)
    rename = Mutations.use_rename_mutation(process.request(ada, registry=REGISTRY))
    rename.mutate(params=RowParams(id="a"))
    assert fetched(world, process, ada) == ["/figures", "/rows", "/one/b"]
