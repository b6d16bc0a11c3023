"""How many rows a filtered list has in all: a number only where it is proven to be one of the filtered list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.config.limits import ABSENT_S
from tests.portal.query.fakes import World
from tests.portal.query.narrow_backend import REGISTRY, Mutations, NarrowBackend, Queries, fresh

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore
    from portal.query import PaginatedRes, QueryClient
    from tests.portal.query.fakes import Process


@pytest.fixture
def backend() -> NarrowBackend:
    """Sixty visits, of which every other one is of `c1`. It filters by the client."""
    made = NarrowBackend(knows={"clientId", "q"})
    made.own = [{"id": f"v{n:02d}", "name": "x", "clientId": "c1" if n % 2 else "c2"} for n in range(60)]
    return made


@pytest.fixture
def world(backend: NarrowBackend) -> World:
    return World(backend=backend)


def again(process: Process, tokens: TokenStore) -> QueryClient:
    return process.request(tokens, registry=REGISTRY)


def found(client: QueryClient, **named: Any) -> PaginatedRes[Any]:
    data: PaginatedRes[Any] = Queries.use_get_visits_query(client, **named).data
    return data


def test_rows_that_happen_to_fit_are_no_proof(world: World, backend: NarrowBackend) -> None:
    backend.knows = set()
    backend.own = [{"id": f"v{number:02d}", "clientId": "c1" if number < 20 else "c2"} for number in range(40)]
    ignored = found(fresh(world), client_id=["c1"])
    assert (len(ignored.items), ignored.has_next, ignored.total) == (20, True, None)


def test_a_filter_under_which_the_backend_counts_fewer_rows_has_a_total(world: World, backend: NarrowBackend) -> None:
    process, ada = world.process(), backend.sign_in("ada")
    followed = found(again(process, ada), client_id=["c1"])
    assert (len(followed.items), followed.has_next, followed.total) == (20, True, 30)
    reads = backend.reads()
    assert found(again(process, ada), client_id=["c2"]).total == 30
    assert backend.reads() == reads + 1
    assert [page.total for page in Queries.use_get_visits_query.walk(again(process, ada), client_id=["c2"])] == [30, 30]


def test_a_list_that_was_cached_before_a_row_came_is_no_proof(world: World, backend: NarrowBackend) -> None:
    backend.knows = set()
    backend.own = [{"id": f"v{n}", "name": "x"} for n in range(40)]
    process, ada = world.process(), backend.sign_in("ada")
    found(again(process, ada))
    Mutations.use_create_visit_mutation(again(process, ada)).mutate(body={"name": "New"})
    assert found(again(process, ada), client_id=["c1"]).total is None


def test_a_filtered_list_that_was_cached_before_a_row_came_is_no_proof(world: World, backend: NarrowBackend) -> None:
    backend.knows = set()
    backend.own = [{"id": f"v{n}", "name": "x"} for n in range(40)]
    ada = backend.sign_in("ada")
    found(again(world.process(), ada), client_id=["c1"])
    backend.own.insert(0, {"id": "v99", "name": "by another user"})
    assert found(again(world.process(), ada), client_id=["c1"]).total is None


def test_a_backend_that_filters_and_counts_all_rows_has_no_total(world: World, backend: NarrowBackend) -> None:
    backend.counts = 60
    assert found(fresh(world), client_id=["c1"]).total is None
    assert found(fresh(world), q="x").total is None


@pytest.mark.parametrize(("counts", "total"), [(None, 1), (60, None)])
def test_a_whole_list_under_a_filter_has_as_many_rows_as_it_says_or_says_nothing(
    world: World, backend: NarrowBackend, counts: int | None, total: int | None
) -> None:
    backend.own[0]["clientId"] = "c9"
    backend.knows, backend.counts = {"clientId"}, counts
    data = found(fresh(world), client_id=["c9"])
    assert (len(data.items), data.total) == (1, total)


def test_each_of_several_filters_is_proven_alone(world: World, backend: NarrowBackend) -> None:
    """The backend ignores the seats, which no row has."""
    assert found(fresh(world), client_id=["c1"], seats=3).total is None
    process, ada = world.process(), backend.sign_in("ada")
    found(again(process, ada), client_id=["c1"], seats=3)
    calls = len(backend.calls)
    assert found(again(process, ada), client_id=["c2"]).total == 30
    assert len(backend.calls) == calls + 1


@pytest.mark.parametrize(
    ("knows", "total"),
    [({"begunAtFrom", "begunAtTo"}, 30), ({"begunAtFrom"}, None), ({"begunAtTo"}, None), (set(), None)],
)
def test_a_range_has_a_total_also_where_one_of_its_limits_leaves_all_rows(
    world: World, backend: NarrowBackend, knows: set[str], total: int | None
) -> None:
    backend.knows = knows
    backend.own = [{"id": f"v{n:02d}", "begunAt": f"202{5 + (n < 30)}-01-01T00:00:00Z"} for n in range(60)]
    limits = {"begun_at_from": "2026-01-01T00:00:00Z", "begun_at_to": "2027-01-01T00:00:00Z"}
    data = found(fresh(world), **limits)
    assert (len(data.items), data.has_next, data.total) == (20, True, total)


def test_a_cached_view_of_a_filter_that_could_not_be_proven_costs_no_more_than_any(
    world: World, backend: NarrowBackend
) -> None:
    backend.own = [{"id": f"v{n}", "name": "x"} for n in range(40)]
    backend.knows = set()
    process, ada = world.process(), backend.sign_in("ada")
    found(again(process, ada), client_id=["c1"])
    trips, calls = world.store.trips, len(backend.calls)
    found(again(process, ada), client_id=["c1"])
    assert (world.store.trips - trips, len(backend.calls) - calls) == (1, 0)


def test_what_could_not_be_proven_is_not_asked_for_again_for_ten_minutes(world: World, backend: NarrowBackend) -> None:
    backend.own = [{"id": f"v{n}", "name": "x"} for n in range(40)]
    backend.knows = set()
    process, ada = world.process(), backend.sign_in("ada")
    found(again(process, ada), client_id=["c1"], seats=1)
    calls = len(backend.calls)
    found(again(process, ada), client_id=["c2"], seats=2)
    assert len(backend.calls) - calls == 1
    world.clock.now += ABSENT_S
    found(again(process, ada), client_id=["c3"], seats=2)
    assert len(backend.calls) - calls > 2
