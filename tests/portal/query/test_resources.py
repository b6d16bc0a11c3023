"""`resource(…)`: one declaration gives the hooks of a resource, and its rows are objects."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from portal.config.contract_names import CREATED_AT_FIELD
from portal.errors import ApiMalformedError, UsageError
from portal.query import (
    ListParams,
    MutationGroup,
    Params,
    QueryGroup,
    Row,
    RowParams,
    create_query_group,
    query_endpoint,
    resource,
)
from portal.query.endpoints.effects import AddToList, Invalidation, MergeIntoList, RemoveFromList, SetAnswer
from portal.query.endpoints.registry import Registry
from tests.portal.query.fakes import Process, World

REGISTRY = Registry()


class Client(Row):
    name: str = ""
    is_new: bool = False


class ClientDetail(Client):
    notes: tuple[str, ...] = ()


class DayParams(Params):
    day: date
    at_least: Decimal | None = None


class ClientsListParams(ListParams):
    home_city: str | None = None


_clients = resource(
    "/energy/clients",
    item=Client,
    detail=ClientDetail,
    params=ClientsListParams,
    filter_fields={"homeCity": None},
    invalidates=["energy.get_summary"],
)


class Queries(QueryGroup, domain="energy", registry=REGISTRY):
    use_get_clients_query = _clients.list
    use_get_client_query = _clients.detail


class Mutations(MutationGroup, domain="energy", registry=REGISTRY):
    use_create_client_mutation = _clients.create
    use_update_client_mutation = _clients.update
    use_delete_client_mutation = _clients.delete


@pytest.fixture
def client(process: Process, ada: Any) -> Any:
    return process.request(ada, registry=REGISTRY)


def test_rows_are_objects_of_the_declared_class(client: Any) -> None:
    result = Queries.use_get_clients_query(client)
    assert result.data.items == (Client(id="c5", name="client 5"), Client(id="c4", name="client 4"))
    assert result.data.raw_res[0]["items"][0] == {"id": "c5", "name": "client 5"}
    assert result.fetch_next_page().data.items[2] == Client(id="c3", name="client 3")
    assert Queries.use_get_client_query(client, id="c1").unwrap() == ClientDetail(id="c1", name="client 1")


def test_parameters_are_keywords(client: Any, world: World) -> None:
    by_name = Queries.use_get_clients_query(client, home_city="Oslo", pages=2)
    assert any(params.get("homeCity") == "Oslo" for _, _, params in world.backend.calls)
    sent = len(world.backend.calls)
    assert Queries.use_get_clients_query(client, {"homeCity": "Oslo"}, pages=2).data == by_name.data
    assert Queries.use_get_clients_query(client, ClientsListParams(home_city="Oslo", pages=2)).data == by_name.data
    assert Queries.use_get_clients_query(client, params={"homeCity": "Oslo"}, pages=2).data == by_name.data
    assert len(world.backend.calls) == sent


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda c: Queries.use_get_clients_query(c, homeCity="Oslo"), "homeCity is no parameter.*home_city, q, sort"),
        (Queries.use_get_client_query, "the parameter id is missing"),
        (lambda c: Queries.use_get_client_query(c, {"id": "c1"}, id="c1"), "by name, or all of them as params"),
        (lambda c: Queries.use_get_client_query(c, {"id": "c1"}, {"id": "c1"}), "by name, or all of them as params"),
        (lambda c: Queries.use_get_client_query(c, {"id": "c1"}, params={"id": "c1"}), "by name, or all of them"),
    ],
)
def test_a_call_that_does_not_fit_is_told(client: Any, call: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        call(client)


def test_a_created_row_comes_first_and_a_changed_one_stays_in_its_place(client: Any, world: World) -> None:
    Queries.use_get_clients_query(client)
    seen: list[Client] = []
    create = Mutations.use_create_client_mutation(client, on_success=seen.append)
    made = create.mutate(body=Client.partial(name="Ada")).unwrap()
    assert world.backend.rows[0] == {"id": made.id, "name": "Ada"}
    assert seen == [made]
    assert made.name == "Ada"
    update = Mutations.use_update_client_mutation(client)
    assert update.mutate(body=Client.partial(name="Eve"), params=RowParams(id="c5")).unwrap().name == "Eve"
    sent = len(world.backend.calls)
    rows = Queries.use_get_clients_query(client).data.items
    assert [row.name for row in rows] == ["Ada", "Eve", "client 4"]
    assert len(world.backend.calls) == sent
    Mutations.use_delete_client_mutation(client).mutate(params={"id": "c4"}).unwrap()
    assert [row.name for row in Queries.use_get_clients_query(client).data.items[:2]] == ["Ada", "Eve"]


def test_a_body_of_another_row_is_refused(client: Any) -> None:
    class Other(Row):
        name: str = ""

    for body in (Other.partial(name="x"), "x", [("name", "x")]):
        with pytest.raises(UsageError, match=r"the body should be Client.partial"):
            Mutations.use_create_client_mutation(client).mutate(body=body)


def test_a_body_may_be_a_mapping_by_the_names_on_the_wire(client: Any, world: World) -> None:
    assert Mutations.use_create_client_mutation(client).mutate(body={"isNew": True}).unwrap().is_new
    assert world.backend.rows[0]["isNew"] is True
    with pytest.raises(UsageError, match="Client has no field is_new on the wire"):
        Mutations.use_create_client_mutation(client).mutate(body={"is_new": True})


def test_a_response_that_is_no_object_is_an_error_and_not_a_row(client: Any, world: World) -> None:
    world.backend.open_paths["/energy/clients/c1"] = ["odd"]
    result = Queries.use_get_client_query(client, id="c1")
    assert isinstance(result.error, ApiMalformedError)
    assert result.data is None


def test_what_a_resource_declares() -> None:
    assert Queries.use_get_client_query.path_shape == "/energy/clients/{id}"
    assert sorted(REGISTRY.queries) == ["energy.get_client", "energy.get_clients"]
    declared = {
        key: [(type(effect), effect.target) for effect in (*hook.helpers, *hook.answers)]
        for key, hook in REGISTRY.mutations.items()
    }
    assert declared == {
        "energy.create_client": [(AddToList, "energy.get_clients")],
        "energy.update_client": [(MergeIntoList, "energy.get_clients"), (SetAnswer, "energy.get_client")],
        "energy.delete_client": [(RemoveFromList, "energy.get_clients")],
    }
    assert {hook.invalidations[-1].target for hook in REGISTRY.mutations.values()} == {"energy.get_summary"}
    made = resource("/a", item=Client).create
    assert [type(effect) for effect in made.effects] == [AddToList, SetAnswer, Invalidation], (
        "a row is the whole detail"
    )


def test_a_changed_row_is_the_detail(client: Any, world: World) -> None:
    update = Mutations.use_update_client_mutation(client)
    update.mutate(body=ClientDetail.partial(name="Eve"), params=RowParams(id="c5"))
    sent = len(world.backend.calls)
    assert Queries.use_get_client_query(client, id="c5").unwrap().name == "Eve"
    assert len(world.backend.calls) == sent


def test_a_resource_hands_its_options_on() -> None:
    named: Any = {"tags": ("clients",), "invalidates_tags": ("figures",), "newest_first_by": None}
    made = resource("/a", item=Client, stale_time_s=10, cache=False, unique_by=False, **named)
    create_query_group({"get_a": made.detail}, registry=Registry())
    for hook in (made.list, made.detail):
        assert (hook.stale_time_s, hook.cache, hook.tags) == (10, False, ("clients",))
    for hook in (made.create, made.update, made.replace, made.delete):
        assert hook.invalidated_tags == ("figures",)
    assert made.list.unique_by is False
    plain = resource("/a", item=Client)
    assert made.create.effects[0].matches is None, "only the server knows the order"
    by_creation = plain.create.effects[0].matches
    assert [by_creation(params, {}) for params in ({}, {"sort": f"-{CREATED_AT_FIELD}"}, {"sort": "name"})] == [
        *(True, True, None)
    ]


def test_a_list_of_records_may_be_a_one_shot_query(client: Any, world: World) -> None:
    class More(QueryGroup, domain="more", registry=Registry()):
        use_get_names_query = query_endpoint(data=tuple[Client, ...], url="/names")

    world.backend.open_paths["/names"] = [{"id": 1}, {"id": "2", "isNew": True}]
    assert More.use_get_names_query(client).unwrap() == (Client(id="1"), Client(id="2", is_new=True))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"path": "/a/"}, "the path '/a/' should not end with a slash"),
        (
            {"newest_first_by": "created_at"},
            "newest_first_by should be a field's name on the wire, one of id, createdAt",
        ),
        ({"params": Client}, "params=Client should derive from Params"),
        ({"item": dict}, "item should be a class that derives from Row, not <class 'dict'>"),
        ({"detail": list[Client]}, "detail should be a class that derives from Row, not list"),
    ],
)
def test_a_resource_that_does_not_fit_is_told_where_it_is_declared(options: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        resource(**{"path": "/a", "item": Client, **options})


def test_a_hook_that_no_group_names_says_where_it_is_declared() -> None:
    with pytest.raises(
        UsageError, match=r"/a/\{id\}, declared at .*test_resources.py:\d+, should be an attribute of a QueryGroup"
    ):
        resource("/a", item=Client).detail.key  # noqa: B018  what this test is about


def test_dates_and_decimals_may_be_parameters(client: Any, world: World) -> None:
    class Days(QueryGroup, domain="days", registry=Registry()):
        use_get_days_query = query_endpoint(data=dict, params=DayParams, url="/days")

    world.backend.open_paths["/days"] = {}
    Days.use_get_days_query(client, day=date(2026, 1, 31), at_least=Decimal("1.50"))
    assert world.backend.calls[-1][2] == {"day": "2026-01-31", "atLeast": "1.50"}
