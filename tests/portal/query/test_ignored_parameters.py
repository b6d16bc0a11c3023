"""Parameters that a backend ignores or refuses: no row that contradicts one is handed out, and no total is guessed.

A number is told only where it is proven to be one of the filtered list.
"""

from __future__ import annotations

import logging
from typing import Any

import pytest

from portal.config.contract_names import NOBODYS_WORD
from portal.config.limits import ABSENT_S
from portal.errors import ApiValidationError, UsageError
from portal.query import ListParams, paginated_query_endpoint
from tests.portal.query.fakes import unavailable
from tests.portal.query.narrow_backend import PATH, NarrowBackend, Visit, add, fresh, is_learned, visits, walked
from tests.portal.query.world import User, World


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
        ({"status": ["open"]}, ["v1", "v2"]),
        ({"seats": 3}, ["v3"]),
        ({"is_free": False}, ["v2", "v3", "v4"]),
        ({"tag": ["café"]}, ["v1", "v2", "v3"]),
        ({"tag": ["CAFÉ"]}, []),
        ({"begun_at_from": "2026-01-03T10:00:00Z"}, ["v3", "v4"]),
        ({"begun_at_to": "2026-01-03T11:00:00+01:00"}, ["v1", "v2"]),
        ({"begun_at_from": "2026-01-02", "begun_at_to": "2026-01-04"}, ["v2", "v3"]),
        ({"seats_to": 3}, ["v1", "v2", "v3"]),
    ],
)
@pytest.mark.parametrize("refuses", [None, 400, 422])
def test_no_row_that_contradicts_a_parameter_is_handed_out(
    ada: User, named: dict[str, Any], ids: list[str], refuses: int | None
) -> None:
    ada.backend.refuses = refuses
    data = visits(ada, **named).unwrap()
    assert ([row.id for row in data.items], data.total, len(data.ignored)) == (ids, None, len(named))
    assert refuses is None or all(is_learned(ada.world, name) for name in data.ignored)
    pages = walked(ada.elsewhere(), **named)
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
    data = fresh(world, **named).unwrap()
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
    world: World, row: dict[str, Any], named: dict[str, Any]
) -> None:
    world.backend.own = [{"id": "v1", **row}]
    data = fresh(world, **named).data
    assert (data.items, data.total, len(data.ignored)) == ((), None, 1)
    assert not is_learned(world, *data.ignored)


def test_it_is_learned_and_told_once(ada: User, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="portal.query"):
        for _ in range(3):
            assert visits(ada.signed_in(), client_id=["c1"]).data
    [told] = [record.getMessage() for record in caplog.records]
    assert "energy.get_visits: rows contradict the parameter clientId" in told
    assert is_learned(ada.world, "clientId")


class TestARefusedParameter:
    def test_is_not_sent_again_and_the_cached_list_is_enough(self, ada: User) -> None:
        ada.backend.refuses = 400
        for _ in range(2):
            visits(ada, client_id=["c1"])
        with ada.reads(0):
            assert visits(ada, client_id=["c2"]).data.ignored == ("clientId",)

    def test_of_a_bad_value_takes_no_filter_from_others(self, world: World, backend: NarrowBackend) -> None:
        backend.knows, backend.odd_values = {"clientId", "status"}, {"bad"}
        assert isinstance(fresh(world, client_id="bad", status=["open"]).error, ApiValidationError)
        assert not any(is_learned(world, name) for name in backend.knows)
        assert fresh(world, client_id=["c1"]).data.total == 2

    def test_beside_one_that_is_known_leaves_the_known_one(self, world: World, backend: NarrowBackend) -> None:
        backend.refuses, backend.knows = 400, {"clientId"}
        data = fresh(world, client_id=["c1"], status=["open"], sort="name", q="Visit").data
        assert (data.items, {*data.ignored}) == ((), {"status", "sort", "q"})
        data = fresh(world, client_id=["c1"], status=["open"], sort="name").data
        assert [row.id for row in data.items] == ["v1"]
        assert backend.calls[-1][2]["clientId"] == "c1"


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


class TestTheTotalOfAFilteredList:
    """Sixty visits, of which every other one is of `c1`. The backend filters by the client, unless a test says so."""

    @pytest.fixture
    def backend(self) -> NarrowBackend:
        own = [{"id": f"v{n:02d}", "name": "x", "clientId": "c1" if n % 2 else "c2"} for n in range(60)]
        return NarrowBackend(knows={"clientId", "q"}, own=own)

    def test_is_that_of_a_filter_under_which_the_backend_counts_fewer_rows(self, ada: User) -> None:
        data = visits(ada, client_id=["c1"]).data
        assert (len(data.items), data.has_next, data.total) == (20, True, 30)
        with ada.reads(1):
            assert visits(ada, client_id=["c2"]).data.total == 30
        assert [page.total for page in walked(ada, client_id=["c2"])] == [30, 30]

    @pytest.mark.parametrize(("counts", "total"), [(None, 1), (60, None)])
    def test_is_none_where_the_backend_filters_and_counts_all_rows(
        self, world: World, backend: NarrowBackend, counts: int | None, total: int | None
    ) -> None:
        backend.own[0]["clientId"] = "c9"
        backend.counts = counts
        data = fresh(world, client_id=["c9"]).data
        assert (len(data.items), data.total) == (1, total)
        assert counts is None or fresh(world, q="x").data.total is None

    def test_is_none_where_rows_happen_to_fit_and_that_is_not_asked_again_for_ten_minutes(self, ada: User) -> None:
        ada.backend.knows = set()
        ada.backend.own = [{"id": f"v{number:02d}", "clientId": "c1" if number < 20 else "c2"} for number in range(40)]
        data = visits(ada, client_id=["c1"], seats=1).data
        assert (len(data.items), data.has_next, data.total) == (20, True, None)
        trips = ada.store.trips
        with ada.reads(0):
            visits(ada, client_id=["c1"], seats=1)
        assert ada.store.trips - trips == 1, "a cached view costs no more than any"
        with ada.reads(1):
            visits(ada, client_id=["c2"], seats=2)
        ada.passes(ABSENT_S)
        calls = ada.backend.reads()
        visits(ada, client_id=["c3"], seats=2)
        assert ada.backend.reads() > calls + 1

    @pytest.mark.parametrize("named", [{}, {"client_id": ["c1"]}])
    def test_is_not_proven_by_a_list_that_was_cached_before_a_row_came(self, ada: User, named: Any) -> None:
        ada.backend.knows = set()
        ada.backend.own = [{"id": f"v{n}", "name": "x"} for n in range(40)]
        visits(ada, **named)
        if named:
            ada.backend.own.insert(0, {"id": "v99", "name": "by another user"})
        else:
            add(ada)
        user = ada.elsewhere() if named else ada
        assert visits(user, client_id=["c1"]).data.total is None

    def test_is_proven_for_each_of_several_filters_alone(self, ada: User) -> None:
        """The backend ignores the seats, which no row has."""
        assert visits(ada, client_id=["c1"], seats=3).data.total is None
        with ada.reads(1):
            assert visits(ada, client_id=["c2"]).data.total == 30

    @pytest.mark.parametrize(
        ("knows", "total"),
        [({"begunAtFrom", "begunAtTo"}, 30), ({"begunAtFrom"}, None), ({"begunAtTo"}, None), (set(), None)],
    )
    def test_is_that_of_a_range_also_where_one_of_its_limits_leaves_all_rows(
        self, world: World, backend: NarrowBackend, knows: set[str], total: int | None
    ) -> None:
        backend.knows = knows
        backend.own = [{"id": f"v{n:02d}", "begunAt": f"202{5 + (n < 30)}-01-01T00:00:00Z"} for n in range(60)]
        data = fresh(world, begun_at_from="2026-01-01T00:00:00Z", begun_at_to="2027-01-01T00:00:00Z").data
        assert (len(data.items), data.has_next, data.total) == (20, True, total)


def found(user: User, **named: Any) -> list[str]:
    return [row.name for row in visits(user, **named).data.items]


def found_by_walk(user: User, **named: Any) -> list[str]:
    return [row.name for page in walked(user, **named) for row in page.rows]


def probes(world: World) -> int:
    return sum(params.get("q") == NOBODYS_WORD for _, _, params in world.backend.calls)


class TestTheWordsOfASearch:
    """A process asks once for a word that no row has, and knows whether the backend searches."""

    @pytest.mark.parametrize("words", ["nowhere", "VISIT 3", "Visit"])
    def test_find_nothing_where_the_backend_does_not_search(self, ada: User, words: str) -> None:
        data = visits(ada, q=words).data
        assert (data.items, data.total, data.ignored, data.has_next) == ((), None, ("q",), False)
        assert is_learned(ada.world, "q")
        assert found_by_walk(ada.elsewhere(), q=words) == []
        assert found(ada.elsewhere(), q="elsewhere") == []
        assert probes(ada.world) == 1, "what another process has learned is not asked again"

    @pytest.mark.parametrize("named", [{"q": "acme", "pages": 2}, {"q": "nowhere", "cursor": "2"}])
    def test_show_no_page_of_a_list_that_is_not_searched(self, ada: User, named: dict[str, Any]) -> None:
        ada.backend.rows_of_a_page = 2
        ada.backend.own = [{"id": name, "name": name} for name in ("acme a", "acme b", "zeta", "zulu")]
        assert found(ada, **named) == found_by_walk(ada, q=named["q"]) == []

    def test_are_asked_about_once_by_each_process(self, ada: User) -> None:
        ada.backend.knows = {"q"}
        for words in ("Visit 3", "Visit 2", "Visit 3"):
            assert found(ada, q=words) == found_by_walk(ada.signed_in("bob"), q=words) == [words]
        assert probes(ada.world) == 1

    def test_are_not_answered_by_rows_that_came_since_the_list_was_cached(self, ada: User) -> None:
        found(ada)
        add(ada)
        ada.backend.own.insert(0, {"id": "v9", "name": "by another user"})
        assert found(ada, q="nowhere") == []
        ada.passes(3 * ABSENT_S)
        assert found(ada.signed_in("bob"), q="elsewhere") == []

    def test_may_find_the_whole_list(self, ada: User) -> None:
        ada.backend.knows, ada.backend.is_fuzzy = {"q"}, True
        ada.backend.own = [{"id": "v1", "name": "Müller", "clientId": "c1"}]
        assert found(ada, q="Mueller") == ["Müller"]
        ada.backend.own.append({"id": "v2", "name": "Smith", "clientId": "c1"})
        assert found(ada.signed_in("bob"), q="Smith") == ["Smith"]

    @pytest.mark.parametrize("reads", [found, found_by_walk])
    def test_are_still_asked_about_after_another_parameter_was_refused(self, ada: User, reads: Any) -> None:
        ada.backend.refuses, ada.backend.ignores = 400, {"q"}
        assert reads(ada, q="nowhere", sort="name") == []

    def test_show_the_rows_where_the_answer_can_not_be_had_until_it_is_asked_again(self, ada: User) -> None:
        found(ada)

        def fail(method: str, path: str) -> None:
            if ada.backend.calls[-1][2].get("q") == NOBODYS_WORD:
                raise unavailable()

        ada.backend.before = fail
        assert len(found(ada, q="nowhere")) == 4
        tried = probes(ada.world)
        assert len(found(ada, q="elsewhere")) == len(found_by_walk(ada, q="elsewhere")) == 4
        assert probes(ada.world) == tried
        assert not is_learned(ada.world, "q")
        ada.backend.before = None
        ada.passes(ABSENT_S)
        assert found(ada, q="elsewhere") == []

    @pytest.mark.parametrize("status", [400, 422])
    def test_that_are_refused_whatever_they_are_are_learned_of_an_empty_list_too(self, ada: User, status: int) -> None:
        ada.backend.refuses, ada.backend.own = status, []
        result = visits(ada, q="nowhere")
        assert (result.error, result.data.items, result.data.ignored) == (None, (), ("q",))
        assert is_learned(ada.world, "q")
