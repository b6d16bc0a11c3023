from __future__ import annotations

from typing import Any, TypedDict

import pytest
from django.http import HttpRequest

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
from portal.services.energy.clients import ClientMutations, ClientQueries
from portal.services.user import UserQueries
from tests.portal.query.fakes import Process


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
        "portal.services.energy.clients.ClientQueries.use_get_clients_query"
    )


def test_outside_the_services_the_domain_is_the_modules_name(registry: Registry) -> None:
    class Queries(QueryGroup, registry=registry):
        use_get_a_query = query_endpoint(data=dict, url="/a")

    assert Queries.use_get_a_query.key == "test_groups.get_a"
    assert list(registry.queries) == ["test_groups.get_a"]


@pytest.mark.parametrize("name", ["get_clients_query", "use_get_clients", "use_getClients_query", "use__query"])
def test_a_query_that_is_named_otherwise_is_refused(name: str, registry: Registry) -> None:
    with pytest.raises(UsageError, match="named like use_get_clients_query"):
        type("Q", (QueryGroup,), {name: query_endpoint(data=dict, url="/a")}, registry=registry)


def test_a_mutation_that_is_named_otherwise_is_refused(registry: Registry) -> None:
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

    client = process.request(ada)
    for use, group in [
        (lambda: Loose.use_a_query(client), "Query"),
        (lambda: Loose.use_b_query(client), "Query"),
        (lambda: Loose.use_b_query.invalidate(client), "Query"),
        (lambda: Loose.use_a_mutation(client).mutate(), "Mutation"),
        (lambda: query_endpoint(data=dict, url="/a")(client), "Query"),
    ]:
        with pytest.raises(UsageError, match=f"should derive from {group}Group"):
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
    client = process.request(ada)
    assert queries.use_get_a_query(client).data == {"is": "a"}
    assert queries.use_get_b_query(client).data.items == ()
    assert mutations.use_do_c_mutation(client).mutate().is_success
    assert [*registry.queries, *registry.mutations] == [f"test_groups.{key}" for key in ("get_a", "get_b", "do_c")]


def test_a_key_of_a_mapping_that_is_no_key_is_refused() -> None:
    with pytest.raises(UsageError, match="'getClients' should be a key in lower case"):
        create_query_group({"getClients": query_endpoint(data=dict, url="/a")})


def adding(data: Any = dict, **helper: Any) -> Any:
    endpoint = mutation_endpoint(data=data, url="/a", method="POST")
    return endpoint.add_created_to_paginated_list(list_query_key="a", **helper)


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: mutation_endpoint(url="/a", method="GET"), "one of POST, PUT, PATCH, DELETE"),
        (lambda: paginated_query_endpoint(item=dict, url="/a", unique_by=""), "a field's name, or False"),
        (lambda: query_endpoint(data=dict, url="a"), "a path such as"),
        (lambda: query_endpoint(data=dict, url="/a?b=1"), "a path such as"),
        (lambda: query_endpoint(data=dict, url="/a#b"), "a path such as"),
        (lambda: query_endpoint(data=dict, url="/a/../b"), "a path such as"),
        (lambda: paginated_query_endpoint(item=dict, url="/a", unique_by=True), "a field's name, or False"),
        (lambda: paginated_query_endpoint(item=dict, url="/a", stale_time_s=-1), "from 0 on, not -1"),
        (lambda: query_endpoint(data=dict, url="/a", stale_time_s="5"), "from 0 on, not '5'"),
        (lambda: query_endpoint(data=dict, url="/a", stale_time_s=float("nan")), "from 0 on, not nan"),
        (lambda: adding(select_list_item=None), "select_list_item should be a function"),
        (lambda: adding(select_list_item=lambda data: data, matches=True), "matches should be a function"),
        (lambda: adding(data=None, select_list_item=lambda data: data), "give data=…"),
        (
            lambda: mutation_endpoint(url="/a", method="POST").remove_from_paginated_list(
                list_query_key="a", get_deleted_id="id"
            ),
            "get_deleted_id should be a function, not 'id'",
        ),
        (
            lambda: mutation_endpoint(url="/a", method="POST").invalidates(query_key="a", get_params={}),
            "get_params should be a function",
        ),
    ],
)
def test_a_declaration_that_cant_be_right_is_refused_at_once(declare: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        declare()


def test_a_hook_wants_a_request_or_a_client_and_says_so() -> None:
    for source in (HttpRequest(), None, "ada", object()):
        with pytest.raises(UsageError, match="data always belongs to someone"):
            ClientQueries.use_get_clients_query(source)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda hook, client: hook(client, {"serch": "x"}), "serch is no parameter.* knows city, q, sort"),
        (lambda hook, client: hook(client, {"cursor": "x"}), "cursor is no parameter"),
        (lambda hook, client: hook(client, "x"), "params should be a mapping, not str"),
        (lambda hook, client: hook(client, pages=0), "pages should be from 1 to 50"),
        (lambda hook, client: hook(client, pages="2"), "a whole number, not '2'"),
        (lambda hook, client: hook(client, pages=2.0), "a whole number, not 2.0"),
        (lambda hook, client: hook(client, pages=True), "a whole number, not True"),
        (lambda hook, client: hook(client, cursor=5), "cursor should be a text such as .*, not 5"),
        (lambda hook, client: hook.invalidate(client, {"q": "x"}), "params=… for one query, or matching=…"),
    ],
)
def test_a_read_of_another_shape_is_a_usage_fault(process: Process, ada: Any, call: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call(ClientQueries.use_get_clients_query, process.request(ada))


def test_a_missing_parameter_is_named(process: Process, ada: Any) -> None:
    with pytest.raises(UsageError, match="the parameter id is missing"):
        ClientQueries.use_get_client_query(process.request(ada), {})
    with pytest.raises(UsageError, match="takes no params"):
        UserQueries.use_get_me_query(process.request(ada), {"id": "x"})


def test_the_cursor_is_no_parameter_of_any_list(registry: Registry, process: Process, ada: Any) -> None:
    group = create_query_group(
        {"get_a": paginated_query_endpoint(item=dict, params=dict[str, str], url="/a")}, registry=registry
    )
    with pytest.raises(UsageError, match="as cursor=…"):
        group.use_get_a_query(process.request(ada), {"cursor": "x"})


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (lambda client: ClientMutations.use_create_client_mutation(client).mutate(), "body=…"),
        (lambda client: ClientMutations.use_create_client_mutation(client).mutate(params={"id": "x"}), "body=…"),
        (lambda client: ClientMutations.use_delete_client_mutation(client).mutate(), "params=…"),
        (lambda client: ClientMutations.use_delete_client_mutation(client).mutate({"id": "x"}), "params=…"),
        (lambda client: ClientMutations.use_delete_client_mutation(client, print), "params=…"),
        (lambda client: ClientMutations.use_delete_client_mutation(client).mutate(body={}), "params=…"),
        (lambda client: ClientMutations.use_update_client_mutation(client).mutate(body={}), "body=…, params=…"),
    ],
)
def test_a_write_of_another_shape_is_a_usage_fault_that_names_the_right_one(
    process: Process, ada: Any, call: Any, shape: str
) -> None:
    with pytest.raises(UsageError) as raised:
        call(process.request(ada))
    assert f"mutate({shape})" in str(raised.value)
    assert not process.world.backend.calls


@pytest.mark.parametrize("body", [[], "name=x", 3])
def test_a_body_that_is_no_object_is_a_usage_fault(process: Process, ada: Any, body: Any) -> None:
    with pytest.raises(UsageError, match="the body should be a mapping"):
        ClientMutations.use_create_client_mutation(process.request(ada)).mutate(body=body)
    assert not process.world.backend.calls
