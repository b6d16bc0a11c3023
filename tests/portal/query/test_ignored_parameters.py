"""Parameters that a backend ignores or refuses: no row that contradicts one is handed out."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from portal.config.limits import ABSENT_S
from portal.errors import ApiValidationError, UsageError
from portal.query import ListParams, paginated_query_endpoint
from tests.portal.query.fakes import World
from tests.portal.query.narrow_backend import PATH, REGISTRY, NarrowBackend, Queries, Visit, fresh, is_learned

if TYPE_CHECKING:
    from portal.query import QueryClient


@pytest.fixture
def backend() -> NarrowBackend:
    return NarrowBackend()


@pytest.fixture
def client(backend: NarrowBackend) -> QueryClient:
    world = World(backend=backend)
    return world.process().request(backend.sign_in("ada"), registry=REGISTRY)


@pytest.fixture
def world(backend: NarrowBackend) -> World:
    return World(backend=backend)


@pytest.mark.parametrize(
    ("named", "ids"),
    [
        ({"client_id": ["c1"]}, ["v1", "v3"]),
        ({"client_id": "c1"}, ["v1", "v3"]),
        ({"client_id": ["c1", "c9"]}, ["v1", "v3"]),
        ({"status": ["open"]}, ["v1", "v2"]),
        ({"seats": 3}, ["v3"]),
        ({"is_free": True}, ["v1"]),
        ({"is_free": False}, ["v2", "v3", "v4"]),
        ({"tag": ["café"]}, ["v1", "v2", "v3"]),
        ({"tag": ["CAFÉ"]}, []),
        ({"begun_at_from": "2026-01-03"}, ["v3", "v4"]),
        ({"begun_at_from": "2026-01-03T10:00:00Z"}, ["v3", "v4"]),
        ({"begun_at_to": "2026-01-03T11:00:00+01:00"}, ["v1", "v2"]),
        ({"begun_at_from": "2026-01-02", "begun_at_to": "2026-01-04"}, ["v2", "v3"]),
        ({"client_id": ["c2"], "status": ["open"]}, ["v2"]),
        ({"seats_from": 3}, ["v3", "v4"]),
        ({"seats_to": 3}, ["v1", "v2", "v3"]),
    ],
)
def test_no_row_that_contradicts_a_parameter_is_handed_out(
    client: QueryClient, named: dict[str, Any], ids: list[str]
) -> None:
    result = Queries.use_get_visits_query(client, **named)
    assert [row.id for row in result.data.items] == ids
    assert result.data.total is None
    assert len(result.data.ignored) == len(named)
    assert [row.id for page in Queries.use_get_visits_query.walk(client, **named) for row in page.rows] == ids


def test_a_row_without_the_field_proves_nothing(client: QueryClient, backend: NarrowBackend) -> None:
    backend.own = [{"id": "v1"}]
    result = Queries.use_get_visits_query(client, client_id=["c9"])
    assert ([row.id for row in result.data.items], result.data.total, result.data.ignored) == (["v1"], 1, ())


@pytest.mark.parametrize("named", [{"client_id": ["c9"]}, {"begun_at_from": "2026-01-01"}])
def test_a_row_with_null_is_left_out_and_is_no_proof(
    world: World, backend: NarrowBackend, named: dict[str, Any]
) -> None:
    backend.own = [{"id": "v1", "clientId": None, "begunAt": None}]
    result = Queries.use_get_visits_query(fresh(world), **named)
    assert (result.data.items, result.data.total) == ((), None)
    assert len(result.data.ignored) == 1
    assert not is_learned(world, *result.data.ignored)


def test_a_backend_that_filters_is_taken_as_it_is(client: QueryClient, backend: NarrowBackend) -> None:
    backend.knows = {"clientId"}
    result = Queries.use_get_visits_query(client, client_id=["c1"])
    assert ([row.id for row in result.data.items], result.data.total, result.data.ignored) == (["v1", "v3"], 2, ())


def test_values_with_separators_are_several_or_one(client: QueryClient, backend: NarrowBackend) -> None:
    backend.own = [{"id": "v1", "clientId": "a,b"}, {"id": "v2", "clientId": "a"}, {"id": "v3", "clientId": "c"}]
    one = Queries.use_get_visits_query(client, client_id=["a,b"])
    assert [row.id for row in one.data.items] == ["v1"]
    several = Queries.use_get_visits_query(client, client_id=["a", "c"])
    assert [row.id for row in several.data.items] == ["v2", "v3"]


def test_it_is_learned_for_ten_minutes_and_told_once(
    world: World, client: QueryClient, caplog: pytest.LogCaptureFixture
) -> None:
    world = World(backend=world.backend)
    process = world.process()
    with caplog.at_level(logging.WARNING, logger="portal.query"):
        for _ in range(3):
            reader = process.request(world.backend.sign_in("ada"), registry=REGISTRY)
            Queries.use_get_visits_query(reader, client_id=["c1"])
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 1
    assert "energy.get_visits" in told[0]
    assert "clientId" in told[0]
    assert is_learned(world, "clientId")
    world.clock.now += ABSENT_S + 1
    assert not is_learned(world, "clientId")


@pytest.mark.parametrize(
    "named",
    [
        {"client_id": ["C1"]},
        {"client_id": [" c1 "]},
        {"status": ["nonsense"]},
    ],
)
def test_what_somebody_typed_takes_no_filter_from_others(
    world: World, backend: NarrowBackend, named: dict[str, Any]
) -> None:
    backend.own = [{"id": "v1", "clientId": "c1", "status": "open"}]
    result = Queries.use_get_visits_query(fresh(world), **named)
    assert result.data.items == ()
    assert not is_learned(world, "clientId")
    assert not is_learned(world, "status")


def test_a_read_without_parameters_is_not_looked_at(client: QueryClient) -> None:
    result = Queries.use_get_visits_query(client, sort="name")
    assert (len(result.data.items), result.data.total, result.data.ignored) == (4, 4, ())


# --- refused ---


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize("walks", [False, True])
def test_a_parameter_that_is_refused_whatever_its_value_is_left_out(
    world: World, backend: NarrowBackend, status: int, walks: bool
) -> None:
    backend.refuses = status
    if walks:
        [page] = Queries.use_get_visits_query.walk(fresh(world), client_id=["c1"])
        rows, total, ignored = page.rows, page.total, page.ignored
    else:
        data = Queries.use_get_visits_query(fresh(world), client_id=["c1"]).unwrap()
        rows, total, ignored = data.items, data.total, data.ignored
    assert ([row.id for row in rows], total, ignored) == (["v1", "v3"], None, ("clientId",))
    assert is_learned(world, "clientId")


def test_it_is_not_sent_again_and_the_cached_list_is_enough(world: World, backend: NarrowBackend) -> None:
    backend.refuses = 400
    process, tokens = world.process(), backend.sign_in("ada")
    for _ in range(2):
        Queries.use_get_visits_query(process.request(tokens, registry=REGISTRY), client_id=["c1"])
    calls = len(backend.calls)
    for number in range(5):
        result = Queries.use_get_visits_query(process.request(tokens, registry=REGISTRY), client_id=[f"c{number}"])
        assert result.data.ignored == ("clientId",)
    assert len(backend.calls) == calls


def test_a_bad_value_takes_no_filter_from_others(world: World, backend: NarrowBackend) -> None:
    backend.knows, backend.odd_values = {"clientId", "status"}, {"bad"}
    result = Queries.use_get_visits_query(fresh(world), client_id="bad", status=["open"])
    assert isinstance(result.error, ApiValidationError)
    assert not is_learned(world, "clientId")
    assert not is_learned(world, "status")
    assert Queries.use_get_visits_query(fresh(world), client_id=["c1"]).data.total == 2


def test_one_that_is_refused_beside_one_that_is_known_leaves_the_known_one(
    world: World, backend: NarrowBackend
) -> None:
    backend.refuses, backend.knows = 400, {"clientId"}
    result = Queries.use_get_visits_query(fresh(world), client_id=["c1"], status=["open"], sort="name", q="Visit")
    assert [row.id for row in result.data.items] == []
    assert set(result.data.ignored) == {"status", "sort", "q"}
    result = Queries.use_get_visits_query(fresh(world), client_id=["c1"], status=["open"], sort="name")
    assert [row.id for row in result.data.items] == ["v1"]
    assert backend.calls[-1][2]["clientId"] == "c1"


def test_an_order_that_is_refused_leaves_all_rows(world: World, backend: NarrowBackend) -> None:
    backend.refuses = 400
    data = Queries.use_get_visits_query(fresh(world), sort="name").unwrap()
    assert (len(data.items), data.total, data.ignored) == (4, 4, ("sort",))


def test_a_list_that_is_refused_to_a_user_is_absent_with_parameters_too(world: World, backend: NarrowBackend) -> None:
    backend.refuses = 403
    result = Queries.use_get_visits_query(fresh(world), client_id=["c1"])
    assert type(result.error).__name__ == "ApiAbsentError"
    reads = backend.reads()
    process = world.process()
    tokens = backend.sign_in("ada")
    Queries.use_get_visits_query(process.request(tokens, registry=REGISTRY), client_id=["c2"])
    assert backend.reads() == reads


# --- declared ---


def test_a_parameter_that_belongs_to_no_field_is_told_when_it_is_declared() -> None:
    class OddParams(ListParams):
        colour: str | None = None

    with pytest.raises(UsageError, match="colour can't be held against a field of Visit"):
        paginated_query_endpoint(item=Visit, params=OddParams, url=PATH)
    with pytest.raises(UsageError, match="names hue, which is no field"):
        paginated_query_endpoint(item=Visit, params=OddParams, url=PATH, filter_fields={"colour": "hue"})
    with pytest.raises(UsageError, match="names hue, which is no filter"):
        paginated_query_endpoint(item=Visit, params=OddParams, url=PATH, filter_fields={"hue": "name"})
    assert (
        paginated_query_endpoint(item=Visit, params=OddParams, url=PATH, filter_fields={"colour": None}).filters == {}
    )


def test_a_limit_is_held_against_the_field_that_is_named_for_it() -> None:
    class LimitParams(ListParams):
        begin_from: str | None = None

    hook = paginated_query_endpoint(item=Visit, params=LimitParams, url=PATH, filter_fields={"beginFrom": "begunAt"})
    assert (hook.filters["beginFrom"].field, hook.filters["beginFrom"].kind) == ("begunAt", "from")
