"""Groups give hooks their keys and names; and what a hook refuses before it reads or sends."""

import pydoc
from typing import Any

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
from portal.services.user import UserQueries
from tests.portal.query.world import User
from tests.support.client_endpoints import ClientMutations, ClientQueries

CREATE, UPDATE = ClientMutations.use_create_client_mutation, ClientMutations.use_update_client_mutation
DELETE, CLIENTS = ClientMutations.use_delete_client_mutation, ClientQueries.use_get_clients_query


@pytest.fixture
def registry() -> Registry:
    """One of the test's own: what it declares wrongly fails no check elsewhere."""
    return Registry()


def reading() -> Any:
    return query_endpoint(data=dict, url="/a")


def writing() -> Any:
    return mutation_endpoint(url="/a", method="POST")


def test_key_has_the_hooks_name_and_domain(registry: Registry) -> None:
    assert (CLIENTS.key, CREATE.key) == ("energy.get_clients", "energy.create_client")
    assert CLIENTS.hook_name == "tests.support.client_endpoints.ClientQueries.use_get_clients_query"

    class Queries(QueryGroup, registry=registry):
        use_get_a_query = reading()

    assert list(registry.queries) == [Queries.use_get_a_query.key] == ["test_groups.get_a"]


@pytest.mark.parametrize(
    ("group", "name", "hook", "words"),
    [
        *(
            (QueryGroup, name, reading, "named like use_get_clients_query")
            for name in ("get_clients_query", "use_get_clients", "use_getClients_query", "use__query")
        ),
        (MutationGroup, "use_a", writing, "named like use_create_client_mutation"),
        (QueryGroup, "use_a_query", writing, "belongs in a MutationGroup"),
        (MutationGroup, "use_a_mutation", reading, "belongs in a QueryGroup"),
    ],
)
def test_a_hook_of_another_name_or_kind_is_refused(
    group: Any, name: str, hook: Any, words: str, registry: Registry
) -> None:
    with pytest.raises(UsageError, match=words):
        type("Group", (group,), {name: hook()}, registry=registry)


def test_a_hook_outside_a_group_says_on_its_first_use_what_its_class_should_derive_from(ada: User) -> None:
    class Loose:
        use_a_query = reading()
        use_b_query = paginated_query_endpoint(item=dict, url="/a")
        use_a_mutation = writing()

    client = ada.request()
    for use, group in [
        (lambda: Loose.use_a_query(client), "Query"),
        (lambda: Loose.use_b_query(client), "Query"),
        (lambda: Loose.use_b_query.invalidate(client), "Query"),
        (lambda: Loose.use_a_mutation(client).mutate(), "Mutation"),
        (lambda: reading()(client), "Query"),
    ]:
        with pytest.raises(UsageError, match=f"should (derive from|be an attribute of a) {group}Group"):
            use()


def test_a_hook_that_is_declared_in_one_group_is_refused_by_another_one(registry: Registry) -> None:
    class One(QueryGroup, registry=registry):
        use_get_a_query = reading()

    with pytest.raises(UsageError, match=r"Two\.use_get_b_query is .*One\.use_get_a_query already"):
        type("Two", (QueryGroup,), {"use_get_b_query": One.use_get_a_query}, registry=registry)
    assert One.use_get_a_query.key == "test_groups.get_a"


def test_groups_are_made_from_mappings_too(registry: Registry, ada: User) -> None:
    ada.backend.open_paths = {"/a": {"is": "a"}, "/b": {"items": [], "hasNext": False}}
    listing = paginated_query_endpoint(item=dict, params=dict[str, str], url="/b")
    queries: Any = create_query_group({"get_a": reading(), "get_b": listing}, registry=registry)
    mutations: Any = create_mutation_group({"do_c": writing()}, registry=registry)
    client = ada.request()
    assert queries.use_get_a_query(client).data == {"is": "a"}
    assert queries.use_get_b_query(client).data.items == ()
    assert mutations.use_do_c_mutation(client).mutate().is_success
    assert [*registry.queries, *registry.mutations] == [f"test_groups.{key}" for key in ("get_a", "get_b", "do_c")]
    with pytest.raises(UsageError, match="as cursor=…"):
        queries.use_get_b_query(client, {"cursor": "x"})
    assert "get_me" not in pydoc.render_doc(create_query_group)
    for key in ("getClients", "use_get_clients_query"):
        with pytest.raises(UsageError, match=f"'{key}' should be a key in lower case such as get_clients"):
            create_query_group({key: reading()})


@pytest.mark.parametrize("source", [HttpRequest(), None, "ada", object()])
def test_the_first_argument_of_a_hook_is_a_request_or_a_client(source: Any) -> None:
    with pytest.raises(UsageError, match="data always belongs to someone"):
        CLIENTS(source)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda client: CLIENTS(client, {"serch": "x"}), "serch is no parameter.* knows city, q, sort"),
        (lambda client: CLIENTS(client, {"cursor": "x"}), "cursor is no parameter"),
        (lambda client: CLIENTS(client, "x"), "params should be a mapping, not str"),
        (lambda client: CLIENTS(client, pages=0), "pages should be from 1 to 50"),
        (lambda client: CLIENTS(client, pages="2"), "a whole number, not '2'"),
        (lambda client: CLIENTS(client, pages=True), "a whole number, not True"),
        (lambda client: CLIENTS(client, cursor=5), "cursor should be a text such as .*, not 5"),
        (lambda client: CLIENTS(client, pages=51), "pages should be from 1 to 50"),
        (lambda client: CLIENTS.invalidate(client, matching={"query": "x"}), "query is no parameter of this endpoint"),
        (lambda client: CLIENTS.invalidate(client, params={"q": "x"}, matching={"q": "x"}), "not both"),
        (lambda client: CLIENTS.invalidate(client, matching={"q": object()}), "'q' should be a string"),
        (lambda client: ClientQueries.use_get_client_query(client, {}), "the parameter id is missing"),
        (lambda client: UserQueries.use_get_me_query(client, {"id": "x"}), "takes no params"),
        (lambda client: CREATE(client).mutate(), r"mutate\(body=…\)"),
        (lambda client: DELETE(client).mutate(body={}), r"mutate\(params=…\)"),
        (lambda client: UPDATE(client).mutate(body={}), r"mutate\(body=…, params=…\)"),
        *((lambda client, b=b: CREATE(client).mutate(body=b), "body should be a mapping") for b in ([], "name=x", 3)),
    ],
)
def test_call_of_another_shape_is_told_the_right(ada: User, call: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call(ada.request())
    assert not ada.backend.calls


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "TRACE"])
def test_answer_to_a_safe_method_writes_nothing(ada: User, method: str) -> None:
    request = HttpRequest()
    request.method = method
    request.query_client = ada.request()  # as the middleware leaves it
    with pytest.raises(UsageError, match=f"delete_client: what answers {method} must not write.*@require_POST"):
        DELETE(request).mutate(params={"id": "x"})
    assert not ada.backend.calls
