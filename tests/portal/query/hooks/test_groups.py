from __future__ import annotations

from typing import Any, TypedDict

import pytest

from portal.errors import UsageError
from portal.query import (
    MutationGroup,
    QueryGroup,
    create_mutation_group,
    create_query_group,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
)
from portal.query.endpoints.registry import Registry
from portal.services.user import UserQueries
from tests.portal.query.fakes import Process
from tests.support.client_endpoints import ClientMutations, ClientQueries


class Params(TypedDict, total=False):
    q: str


@pytest.fixture
def registry() -> Registry:
    """One of the test's own: what it declares wrongly fails no check elsewhere."""
    return Registry()


def test_a_key_is_derived_from_the_hooks_name_and_qualified_by_the_domain() -> None:
    assert ClientQueries.use_get_clients_query.key == "energy.get_clients"
    assert ClientMutations.use_create_client_mutation.key == "energy.create_client"
    assert UserQueries.use_get_me_query.key == "user.get_me"
    assert ClientQueries.use_get_clients_query.hook_name == (
        "tests.support.client_endpoints.ClientQueries.use_get_clients_query"
    )


def test_outside_the_services_the_domain_is_the_modules_name(registry: Registry) -> None:
    class Queries(QueryGroup, registry=registry):
        use_get_a_query = query_endpoint(data=dict, url="/a")

    assert Queries.use_get_a_query.key == "test_groups.get_a"
    assert list(registry.queries) == ["test_groups.get_a"]


@pytest.mark.parametrize("name", ["get_clients_query", "use_get_clients", "use_getClients_query", "use__query"])
def test_a_query_with_a_wrong_name_is_refused(name: str, registry: Registry) -> None:
    with pytest.raises(UsageError, match="named like use_get_clients_query"):
        type("Q", (QueryGroup,), {name: query_endpoint(data=dict, url="/a")}, registry=registry)


def test_a_mutation_with_a_wrong_name_is_refused(registry: Registry) -> None:
    with pytest.raises(UsageError, match="named like use_create_client_mutation"):
        type("M", (MutationGroup,), {"use_a": mutation_endpoint(url="/a", method="POST")}, registry=registry)


def test_each_kind_belongs_in_its_own_group(registry: Registry) -> None:
    with pytest.raises(UsageError, match="belongs in a MutationGroup"):
        type("Q", (QueryGroup,), {"use_a_query": mutation_endpoint(url="/a", method="POST")}, registry=registry)
    with pytest.raises(UsageError, match="belongs in a QueryGroup"):
        type("M", (MutationGroup,), {"use_a_mutation": query_endpoint(data=dict, url="/a")}, registry=registry)


def test_a_hook_outside_a_group_says_on_its_first_use_what_its_class_should_derive_from(
    process: Process, ada: Any
) -> None:
    class Loose:
        use_a_query = query_endpoint(data=dict, url="/a")
        use_b_query = paginated_query_endpoint(item=dict, url="/a")
        use_a_mutation = mutation_endpoint(url="/a", method="POST")

    client = ada.request()
    for use, group in [
        (lambda: Loose.use_a_query(client), "Query"),
        (lambda: Loose.use_b_query(client), "Query"),
        (lambda: Loose.use_b_query.invalidate(client), "Query"),
        (lambda: Loose.use_a_mutation(client).mutate(), "Mutation"),
        (lambda: query_endpoint(data=dict, url="/a")(client), "Query"),
    ]:
        with pytest.raises(UsageError, match=f"should (derive from|be an attribute of a) {group}Group"):
            use()


def test_a_hook_that_is_declared_in_one_group_is_refused_by_another_one(registry: Registry) -> None:
    class One(QueryGroup, registry=registry):
        use_get_a_query = query_endpoint(data=dict, url="/a")

    with pytest.raises(UsageError, match=r"Two\.use_get_b_query is .*One\.use_get_a_query already"):
        type("Two", (QueryGroup,), {"use_get_b_query": One.use_get_a_query}, registry=registry)
    assert One.use_get_a_query.key == "test_groups.get_a"


def test_groups_are_made_from_mappings_too(registry: Registry, process: Process, ada: Any) -> None:
    process.world.backend.open_paths = {"/a": {"is": "a"}, "/b": {"items": [], "hasNext": False}, "/c": None}
    queries = create_query_group(
        {"get_a": query_endpoint(data=dict, url="/a"), "get_b": paginated_query_endpoint(item=dict, url="/b")},
        registry=registry,
    )
    mutations = create_mutation_group({"do_c": mutation_endpoint(url="/c", method="POST")}, registry=registry)
    client = ada.request()
    assert queries.use_get_a_query(client).data == {"is": "a"}
    assert queries.use_get_b_query(client).data.items == ()
    assert mutations.use_do_c_mutation(client).mutate().is_success
    assert [*registry.queries, *registry.mutations] == [f"test_groups.{key}" for key in ("get_a", "get_b", "do_c")]


def test_a_malformed_key_in_a_mapping_is_refused() -> None:
    with pytest.raises(UsageError, match="'getClients' should be a key in lower case"):
        create_query_group({"getClients": query_endpoint(data=dict, url="/a")})
