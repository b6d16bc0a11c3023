"""Threads that want the same page share one fetch, and nothing depends on it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.errors import ApiNotFoundError
from portal.services.user import UserQueries
from tests.portal.query.fakes import PAST_ITS_LIFE_S, Process, World
from tests.portal.query.followers import WAIT_S, Reader, Watched
from tests.portal.query.invariants.clients_list import delete, listed
from tests.support.client_endpoints import ClientQueries, ids

if TYPE_CHECKING:
    pass

clients = ClientQueries.use_get_clients_query


@pytest.fixture(autouse=True)
def bound(process: Process, ada: TokenStore) -> None:
    """Ada's token is."""
    UserQueries.use_get_me_query(process.request(ada))


def test_threads_that_want_the_same_page_fetch_it_once(world: World, process: Process, ada: TokenStore) -> None:
    entered, deadlines = threading.Event(), [Watched() for _ in range(8)]

    def hold(_method: str, _path: str) -> None:
        entered.set()
        assert all(each.asked.acquire(timeout=WAIT_S) for each in deadlines[1:])

    world.backend.before = hold
    readers = [Reader(lambda each=each: listed(process.request(ada, deadline=each))) for each in deadlines]
    readers[0].thread.start()
    assert entered.wait(WAIT_S)
    for reader in readers[1:]:
        reader.thread.start()
    for reader in readers:
        reader.thread.join(WAIT_S)
    assert [reader.seen for reader in readers] == [[["c5", "c4"]]] * 8
    assert world.backend.reads() == 1


def a_write(world: World, process: Process, ada: TokenStore) -> None:
    delete(process.request(ada), "c5")


def the_cache_is_cleared(world: World, process: Process, ada: TokenStore) -> None:
    world.backend.rows.pop(0)
    process.runtime.cache.clear()


def a_refetch(world: World, process: Process, ada: TokenStore) -> None:
    world.backend.rows.pop(0)


@pytest.mark.parametrize("happens", [a_write, the_cache_is_cleared, a_refetch])
def test_a_fetch_that_began_before_something_is_not_joined_after_it(
    world: World, process: Process, ada: TokenStore, happens: Any
) -> None:
    known = clients(process.request(ada))
    refetches = happens is a_refetch
    other = Reader(lambda: ids(known.refetch() if refetches else clients(process.request(ada))))

    def read_after_it(_method: str, _path: str) -> None:
        world.backend.inside = None
        happens(world, process, ada)
        other.run()

    world.clock.now += PAST_ITS_LIFE_S
    world.backend.inside = read_after_it
    listed(process.request(ada))
    assert other.seen == [["c4", "c3"]]
    assert world.backend.reads() == 3


@pytest.mark.parametrize("fails", [True, False], ids=["a failure", "rows of another user"])
def test_what_a_fetch_came_to_is_not_shared(world: World, process: Process, ada: TokenStore, fails: bool) -> None:
    """A browser may hold ada's access token, and the refresh token of another user."""
    own, mixed, deadline = world.backend.rows, TokenStore(ada.current), Watched()
    world.backend.users["opaque"] = "ben"
    follower = Reader(lambda: listed(process.request(ada, deadline=deadline)))

    def when_joined(_method: str, _path: str) -> None:
        world.backend.before = None
        follower.thread.start()
        assert deadline.asked.acquire(timeout=WAIT_S)
        if fails:
            raise ApiNotFoundError(status=404)
        world.backend.rows = [{"id": "b1", "name": "ben's"}]
        mixed.rotate(TokenPair(access="opaque"), replaced=str(ada.current.refresh))

    world.backend.before = when_joined
    world.backend.inside = lambda _method, _path: setattr(world.backend, "rows", own)
    result = clients(process.request_with(mixed))
    assert isinstance(result.error, ApiNotFoundError) is fails
    assert ids(result) == ([] if fails else ["b1"])
    follower.thread.join(WAIT_S)
    assert follower.seen == [["c5", "c4"]]
