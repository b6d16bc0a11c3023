"""Parameters that a backend ignores or refuses: no row that contradicts one is handed out."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from portal.config.limits import ABSENT_S
from portal.errors import ApiAbsentError, ApiValidationError, UsageError
from portal.query import ListParams, paginated_query_endpoint
from tests.portal.query.fakes import World
from tests.portal.query.narrow_backend import PATH, REGISTRY, NarrowBackend, Queries, Visit, fresh, is_learned

VISITS = Queries.use_get_visits_query


@pytest.fixture
def backend() -> NarrowBackend:
    return NarrowBackend()


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
@pytest.mark.parametrize("refuses", [None, 400, 422])
def test_no_row_that_contradicts_a_parameter_is_handed_out(
    world: World, backend: NarrowBackend, named: dict[str, Any], ids: list[str], refuses: int | None
) -> None:
    backend.refuses = refuses
    data = VISITS(fresh(world), **named).unwrap()
    assert ([row.id for row in data.items], data.total, len(data.ignored)) == (ids, None, len(named))
    assert refuses is None or all(is_learned(world, name) for name in data.ignored)
    pages = list(VISITS.walk(fresh(world), **named))
    assert [row.id for page in pages for row in page.rows] == ids
    assert {(page.total, page.ignored) for page in pages} == {(None, data.ignored)}


@pytest.mark.parametrize(
    ("backend", "named", "ids", "ignored"),
    [
        (NarrowBackend(knows={"clientId"}), {"client_id": ["c1"]}, ["v1", "v3"], ()),
        (NarrowBackend(own=[{"id": "v1"}]), {"client_id": ["c9"]}, ["v1"], ()),
        (NarrowBackend(), {"sort": "name"}, ["v1", "v2", "v3", "v4"], ()),
        (NarrowBackend(refuses=400), {"sort": "name"}, ["v1", "v2", "v3", "v4"], ("sort",)),
    ],
    ids=["it filters", "rows lack the field", "an order", "a refused order"],
)
def test_a_list_that_no_row_contradicts_is_taken_as_it_is(
    world: World, named: dict[str, Any], ids: list[str], ignored: tuple[str, ...]
) -> None:
    data = VISITS(fresh(world), **named).unwrap()
    assert ([row.id for row in data.items], data.total, data.ignored) == (ids, len(ids), ignored)


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ({"clientId": None}, {"client_id": ["c9"]}),
        ({"begunAt": None}, {"begun_at_from": "2026-01-01"}),
        ({"clientId": "c1"}, {"client_id": ["C1"]}),
        ({"clientId": "c1"}, {"client_id": [" c1 "]}),
        ({"status": "open"}, {"status": ["nonsense"]}),
    ],
)
def test_a_row_with_null_or_what_somebody_typed_takes_no_filter_from_others(
    world: World, backend: NarrowBackend, row: dict[str, Any], named: dict[str, Any]
) -> None:
    backend.own = [{"id": "v1", **row}]
    data = VISITS(fresh(world), **named).data
    assert (data.items, data.total, len(data.ignored)) == ((), None, 1)
    assert not is_learned(world, *data.ignored)


def test_values_with_separators_are_several_or_one(world: World, backend: NarrowBackend) -> None:
    backend.own = [{"id": "v1", "clientId": "a,b"}, {"id": "v2", "clientId": "a"}, {"id": "v3", "clientId": "c"}]
    for values, ids in ((["a,b"], ["v1"]), (["a", "c"], ["v2", "v3"])):
        assert [row.id for row in VISITS(fresh(world), client_id=values).data.items] == ids


def test_it_is_learned_for_ten_minutes_and_told_once(world: World, caplog: pytest.LogCaptureFixture) -> None:
    process = world.process()
    with caplog.at_level(logging.WARNING, logger="portal.query"):
        for _ in range(3):
            VISITS(process.request(world.backend.sign_in("ada"), registry=REGISTRY), client_id=["c1"])
    [told] = [record.getMessage() for record in caplog.records]
    assert "energy.get_visits" in told
    assert "clientId" in told
    assert is_learned(world, "clientId")
    world.clock.now += ABSENT_S + 1
    assert not is_learned(world, "clientId")


class TestARefusedParameter:
    def test_is_not_sent_again_and_the_cached_list_is_enough(self, world: World, backend: NarrowBackend) -> None:
        backend.refuses = 400
        process, tokens = world.process(), backend.sign_in("ada")
        for _ in range(2):
            VISITS(process.request(tokens, registry=REGISTRY), client_id=["c1"])
        calls = len(backend.calls)
        for number in range(5):
            result = VISITS(process.request(tokens, registry=REGISTRY), client_id=[f"c{number}"])
            assert result.data.ignored == ("clientId",)
        assert len(backend.calls) == calls

    def test_of_a_bad_value_takes_no_filter_from_others(self, world: World, backend: NarrowBackend) -> None:
        backend.knows, backend.odd_values = {"clientId", "status"}, {"bad"}
        result = VISITS(fresh(world), client_id="bad", status=["open"])
        assert isinstance(result.error, ApiValidationError)
        assert not any(is_learned(world, name) for name in backend.knows)
        assert VISITS(fresh(world), client_id=["c1"]).data.total == 2

    def test_beside_one_that_is_known_leaves_the_known_one(self, world: World, backend: NarrowBackend) -> None:
        backend.refuses, backend.knows = 400, {"clientId"}
        result = VISITS(fresh(world), client_id=["c1"], status=["open"], sort="name", q="Visit")
        assert (result.data.items, {*result.data.ignored}) == ((), {"status", "sort", "q"})
        result = VISITS(fresh(world), client_id=["c1"], status=["open"], sort="name")
        assert [row.id for row in result.data.items] == ["v1"]
        assert backend.calls[-1][2]["clientId"] == "c1"

    def test_of_a_list_that_is_refused_to_a_user_makes_it_absent(self, world: World, backend: NarrowBackend) -> None:
        backend.refuses = 403
        assert isinstance(VISITS(fresh(world), client_id=["c1"]).error, ApiAbsentError)
        reads = backend.reads()
        VISITS(fresh(world), client_id=["c2"])
        assert backend.reads() == reads


class OddParams(ListParams):
    colour: str | None = None
    begin_from: str | None = None


@pytest.mark.parametrize(
    ("filter_fields", "words"),
    [
        ({"beginFrom": None}, "colour can't be held against a field of Visit"),
        ({"colour": "hue", "beginFrom": None}, "names hue, which is no field"),
        ({"hue": "name", "beginFrom": None}, "names hue, which is no filter"),
    ],
)
def test_a_parameter_that_belongs_to_no_field_is_told_when_it_is_declared(filter_fields: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        paginated_query_endpoint(item=Visit, params=OddParams, url=PATH, filter_fields=filter_fields)


def test_a_parameter_is_held_against_the_field_that_is_named_for_it() -> None:
    fields = {"colour": None, "beginFrom": "begunAt"}
    hook = paginated_query_endpoint(item=Visit, params=OddParams, url=PATH, filter_fields=fields)
    assert {name: (each.field, each.kind) for name, each in hook.filters.items()} == {"beginFrom": ("begunAt", "from")}
