"""A command's `QueryClient` may live for hours: what it remembers is bounded, in number and in time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.query.client import MAX_EVENTS
from portal.query.memory import MAX_REMEMBERED, REMEMBERED_FOR_S
from portal.services.energy.clients import ClientQueries
from tests.portal.query.invariants.clients_list import listed

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore
    from tests.portal.query.fakes import Process, World


def test_it_remembers_the_queries_that_it_used_last(world: World, process: Process, ada: TokenStore) -> None:
    world.store.down = True  # nothing but the client's own memory answers
    client = process.request(ada)
    for number in range(MAX_REMEMBERED + 10):
        listed(client, params={"q": "5"})
        listed(client, params={"q": f"number {number}"})
    assert len(client._memory._outcomes) == MAX_REMEMBERED
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
    world.clock.now += REMEMBERED_FOR_S - 1
    assert listed(client) == ["c5", "c4"], "one request sees one state"
    world.clock.now += 1
    assert listed(client) == ["c4", "c3"]
