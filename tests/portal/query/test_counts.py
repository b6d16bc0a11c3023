"""The counts of a list: how many rows have each value of its fields."""

from __future__ import annotations

from typing import Any

import pytest

from portal.errors import UsageError
from portal.query import ListParams, MutationGroup, Params, QueryGroup, Row, Values, resource
from portal.query.endpoints.registry import Registry
from tests.portal.query.fakes import Process, World

REGISTRY = Registry()
PATH = "/energy/clients/counts"


class Client(Row):
    name: str = ""


class ClientsListParams(ListParams):
    home_city: Values | None = None


_clients = resource("/energy/clients", item=Client, params=ClientsListParams, filter_fields={"homeCity": None})


class Queries(QueryGroup, domain="energy", registry=REGISTRY):
    use_get_clients_query = _clients.list
    use_get_clients_counts_query = _clients.counts


class Mutations(MutationGroup, domain="energy", registry=REGISTRY):
    use_create_client_mutation = _clients.create
    use_update_client_mutation = _clients.update
    use_replace_client_mutation = _clients.replace
    use_delete_client_mutation = _clients.delete


@pytest.fixture
def client(process: Process, world: World, ada: Any) -> Any:
    world.backend.open_paths[PATH] = {"homeCity": {"Oslo": 2, "Köln": 0, "Graz": "many"}, "name": None}
    return process.request(ada, registry=REGISTRY)


def test_they_are_numbers_by_field_and_value(client: Any, world: World) -> None:
    result = Queries.use_get_clients_counts_query(client, by=["name", "homeCity"], home_city=["Oslo", "Köln"], q="a")
    assert result.unwrap()["homeCity"] == {"Oslo": 2, "Köln": 0, "Graz": None}
    assert world.backend.calls[-1] == ("GET", PATH, {"by": "homeCity,name", "homeCity": "Köln,Oslo", "q": "a"})


@pytest.mark.parametrize(
    ("params", "words"),
    [({}, "the parameter by is missing"), ({"by": "a", "colour": "b"}, "colour is no parameter.*by, home_city")],
)
def test_a_call_that_does_not_fit_is_told(client: Any, params: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Queries.use_get_clients_counts_query(client, **params)


def test_the_page_of_a_list_is_no_parameter_of_its_counts(client: Any) -> None:
    with pytest.raises(UsageError, match="pages is no parameter"):
        Queries.use_get_clients_counts_query(client, by="homeCity", pages=2)


@pytest.mark.parametrize(
    "write",
    [
        lambda c: Mutations.use_create_client_mutation(c).mutate(body=Client.partial(name="Ada")),
        lambda c: Mutations.use_update_client_mutation(c).mutate(body=Client.partial(name="Ada"), params={"id": "c5"}),
        lambda c: Mutations.use_replace_client_mutation(c).mutate(body=Client.partial(name="A"), params={"id": "c5"}),
        lambda c: Mutations.use_delete_client_mutation(c).mutate(params={"id": "c5"}),
    ],
)
def test_each_write_of_the_resource_makes_them_stale(client: Any, world: World, write: Any) -> None:
    for _ in range(2):
        Queries.use_get_clients_counts_query(client, by="homeCity")
    assert world.backend.counted()["GET", PATH] == 1
    assert write(client).is_success
    Queries.use_get_clients_counts_query(client, by="homeCity")
    assert world.backend.counted()["GET", PATH] == 2


def test_a_list_whose_parameters_are_not_declared_here_has_them_too(process: Process, ada: Any, world: World) -> None:
    class DayParams(Params):
        day: str | None = None

    class DayQueries(QueryGroup, domain="energy", registry=Registry()):
        use_get_days_counts_query = resource("/energy/days", item=Client, params=DayParams).counts

    world.backend.open_paths["/energy/days/counts"] = {}
    client = process.request(ada)
    assert DayQueries.use_get_days_counts_query(client, {"by": "day", "any": "1"}).unwrap() == {}
    assert world.backend.calls[-1][2] == {"by": "day", "any": "1"}
