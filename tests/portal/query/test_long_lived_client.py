"""A command's `QueryClient` may live for hours: what it memoizes is bounded, in number and in time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.api.tokens import TokenStore
from portal.config.limits import REQUEST_BUDGET_S
from portal.errors import ApiForbiddenError
from portal.process.deadline import Deadline
from portal.query.events import MAX_EVENTS
from portal.query.request_cache import MAX_MEMOIZED, MEMOIZED_FOR_S
from portal.services.user import UserQueries
from tests.portal.query.fakes import FakeBackend
from tests.portal.query.invariants.clients_list import delete, listed
from tests.support.client_endpoints import ClientQueries

if TYPE_CHECKING:
    from portal.api.responses import ApiResponse
    from tests.portal.query.fakes import Process, World


def test_it_memoizes_the_queries_that_it_used_last(world: World, process: Process, ada: TokenStore) -> None:
    world.store.down = True  # nothing but the client's own memory answers
    client = process.request(ada)
    for number in range(MAX_MEMOIZED + 10):
        listed(client, params={"q": "5"})
        listed(client, params={"q": f"number {number}"})
    assert len(client.reads._memo._results) == MAX_MEMOIZED
    reads = world.backend.reads()
    assert listed(client, params={"q": "5"}) == ["c5"]
    assert world.backend.reads() == reads, "used all the time"
    listed(client, params={"q": "number 0"})
    assert world.backend.reads() == reads + 1, "forgotten"


def test_its_events_are_the_latest(process: Process, ada: TokenStore) -> None:
    client = process.request(ada)
    for _ in range(MAX_EVENTS + 10):
        listed(client)
    ClientQueries.use_get_client_query(client, {"id": "c5"})
    assert len(client.events) == MAX_EVENTS
    assert client.events[-1].endpoint == "energy.get_client"


def test_what_it_read_a_minute_ago_it_asks_the_cache_for_again(world: World, process: Process, ada: TokenStore) -> None:
    client = process.request(ada)
    listed(client)
    ClientQueries.use_get_clients_query(client).fetch_next_page()
    process_of_the_user = process.request(ada)
    world.backend.rows.pop(0)
    ClientQueries.use_get_clients_query.invalidate(process_of_the_user)
    world.clock.now += MEMOIZED_FOR_S - 1
    assert listed(client) == ["c5", "c4"], "one request sees one state"
    world.clock.now += 1
    assert listed(client) == ["c4", "c3"]


def test_a_list_that_grows_page_by_page_is_not_memoized_for_longer(
    world: World, process: Process, ada: TokenStore
) -> None:
    world.backend.rows = [{"id": f"c{number}", "name": "x"} for number in range(99, 0, -1)]
    result = ClientQueries.use_get_clients_query(process.request(ada))
    delete(process.request(ada), "c99")
    for _ in range(4):
        world.clock.now += MEMOIZED_FOR_S - 10
        result = result.fetch_next_page()
    assert result.data.items[0]["id"] == "c98"


def test_a_403_asks_for_the_permissions_again_after_a_while(world: World, process: Process, ada: TokenStore) -> None:
    listed(process.request(ada))
    client = process.request(ada)
    world.backend.failures = [ApiForbiddenError(status=403)]
    ClientQueries.use_get_client_query(client, {"id": "c1"})
    world.clock.now += MEMOIZED_FOR_S
    world.backend.permissions["ada"] = []
    ClientQueries.use_get_client_query(client, {"id": "c2"})
    assert isinstance(ClientQueries.use_get_clients_query(process.request(ada)).error, ApiForbiddenError)


def test_a_403_asks_for_the_permissions_of_another_sign_in(world: World, process: Process, ada: TokenStore) -> None:
    tokens = TokenStore(ada.current)
    client = process.request_with(tokens)
    for row_id in ("c1", "c2"):
        UserQueries.use_get_me_query(client)
        world.backend.calls.clear()
        world.backend.failures = [ApiForbiddenError(status=403)]
        ClientQueries.use_get_client_query(client, {"id": row_id})
        assert world.backend.counted()["GET", "/me"] == 1
        tokens.sign_in(world.backend.sign_in("ada").current)


@pytest.mark.parametrize("given", [True, False])
def test_without_a_deadline_each_call_has_a_requests_time(
    world: World, process: Process, ada: TokenStore, monkeypatch: pytest.MonkeyPatch, given: bool
) -> None:
    ends: list[int] = []

    def call(_backend: FakeBackend, *, deadline: Deadline, **options: object) -> ApiResponse:
        ends.append(id(deadline))
        kept.append(deadline)
        assert 0 < deadline.remaining() <= REQUEST_BUDGET_S
        return answer(world.backend, deadline=deadline, **options)

    kept: list[Deadline] = []  # so that no two have the same id
    answer: Any = FakeBackend.call
    monkeypatch.setattr(FakeBackend, "call", call)
    UserQueries.use_get_me_query(process.request(ada))
    kept.clear()
    ends.clear()
    client = process.request(ada, **({"deadline": Deadline(REQUEST_BUDGET_S)} if given else {}))
    for word in ("1", "2", "3"):
        listed(client, params={"q": word})
    assert len(set(ends)) == (1 if given else 3)
