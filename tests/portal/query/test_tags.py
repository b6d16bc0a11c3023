"""Tags: a write names what it concerns, and not every query that tells about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.errors import UsageError
from portal.query import (
    MutationGroup,
    QueryGroup,
    RowParams,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
)
from portal.query.endpoints.registry import Registry
from portal.query.hooks.checks import check_registry
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


def test_only_for_the_user_who_wrote(world: World, process: Process, ada: TokenStore) -> None:
    ben = world.backend.sign_in("ben")
    fetched(world, process, ben)
    Mutations.use_pay_mutation(process.request(ada, registry=REGISTRY)).mutate()
    assert fetched(world, process, ben) == []


@pytest.mark.parametrize(("tag", "hint"), [("figure", "did you mean 'figures'?"), ("xyz", "tags=('xyz',)")])
def test_a_tag_that_no_query_has_is_an_error_at_start(tag: str, hint: str) -> None:
    registry = Registry()

    class OwnQueries(QueryGroup, domain="faulty", registry=registry):
        use_get_one_query = query_endpoint(data=dict, url="/one", tags=("figures",))

    class OwnMutations(MutationGroup, domain="faulty", registry=registry):
        use_write_mutation = mutation_endpoint(url="/write", method="POST").invalidates(tag=tag)

    [fault] = check_registry(registry)
    assert fault.id == "portal.query.E012"
    assert f"no query has the tag {tag!r}" in fault.msg
    assert hint in (fault.hint or "")
    assert check_registry(registry, incomplete={"other"}) == [], "a query that could not be imported may have it"


def test_the_declared_tags_pass_the_checks() -> None:
    assert check_registry(REGISTRY) == []


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: query_endpoint(data=dict, url="/a", tags="figures"), "a tuple of names"),
        (lambda: query_endpoint(data=dict, url="/a", tags=("",)), "a tuple of names"),
        (lambda: paginated_query_endpoint(item=dict, url="/a", tags=["figures"]), "a tuple of names"),
        (lambda: mutation_endpoint(url="/a", method="POST").invalidates(), "query_key=…, or tag=… alone"),
        (lambda: mutation_endpoint(url="/a", method="POST").invalidates(tag=""), "tag should be a name"),
        (
            lambda: mutation_endpoint(url="/a", method="POST").invalidates(tag="a", query_key="b"),
            "query_key=…, or tag=… alone",
        ),
        (
            lambda: mutation_endpoint(url="/a", method="POST").invalidates(tag="a", get_params=dict),
            "query_key=…, or tag=… alone",
        ),
    ],
)
def test_a_wrong_declaration_is_refused_at_once(declare: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        declare()
