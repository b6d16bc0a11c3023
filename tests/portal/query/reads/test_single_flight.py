"""Threads that want the same page share one fetch, and nothing depends on it. Also: what a reload joins."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.errors import ApiForbiddenError, ApiTimeoutError, ApiUnauthorizedError
from portal.process.deadline import Deadline
from tests.portal.query.clients import clients, delete, listed, names, once
from tests.portal.query.fakes import PAST_ITS_LIFE_S, unavailable
from tests.portal.query.world import User
from tests.support.client_endpoints import EnergySummaryQueries, ids

WAIT_S = 20

summary = EnergySummaryQueries.use_get_summary_query


class Watched(Deadline):
    """Tells when a follower asks how long it may wait."""

    def __init__(self) -> None:
        super().__init__(WAIT_S)
        self.asked = threading.Semaphore(0)

    def remaining(self) -> float:
        self.asked.release()
        return super().remaining()


class Reader:
    """A read in a thread of its own. Its rows are in `seen`."""

    def __init__(self, read: Callable[[], list[str]]) -> None:
        self.seen: list[list[str]] = []
        self.thread = threading.Thread(target=lambda: self.seen.append(read()))

    def run(self) -> None:
        """Let it read, for some seconds: one that waits for another fetch goes on when that has ended."""
        self.thread.start()
        self.thread.join(WAIT_S / 4)


def join(follower: Reader, deadline: Watched) -> None:
    """Have it wait for the fetch that is under way."""
    follower.thread.start()
    assert deadline.asked.acquire(timeout=WAIT_S)


def test_threads_fetch_the_same_page_once(ada: User) -> None:
    deadlines = [Watched() for _ in range(7)]
    followers = [Reader(lambda each=each: listed(ada.request(deadline=each))) for each in deadlines]
    ada.backend.before = once(lambda: [*map(join, followers, deadlines)])
    with ada.reads(1):
        listed(ada)
        for follower in followers:
            follower.thread.join(WAIT_S)
    assert [follower.seen for follower in followers] == [[["c5", "c4"]]] * 7


def a_change_by_others(ada: User) -> None:
    ada.backend.rows.pop(0)


@pytest.mark.parametrize(
    ("happens", "read"),
    [
        (delete, lambda ada, _: listed(ada)),
        (lambda ada: a_change_by_others(ada) or ada.process.runtime.caches.clear(), lambda ada, _: listed(ada)),
        (a_change_by_others, lambda _, known: ids(known.refetch())),
        (a_change_by_others, lambda ada, _: listed(ada.request(reload=True))),
    ],
    ids=["a write", "the cache is cleared", "a refetch", "a reload"],
)
def test_fetch_from_before_a_change_is_not_joined(ada: User, happens: Any, read: Any) -> None:
    known = clients(ada)
    other = Reader(lambda: read(ada, known))
    ada.passes(PAST_ITS_LIFE_S)
    ada.backend.inside = once(lambda: happens(ada) or other.run())
    with ada.reads(2):
        listed(ada)
        other.thread.join(WAIT_S)
    assert other.seen == [["c4", "c3"]]


def test_fetch_that_began_earlier_is_not_joined(ada: User) -> None:
    """Another process has fetched the page since. The reload began before all of them."""
    client, elsewhere = ada.request(reload=True), ada.elsewhere()
    other = Reader(lambda: listed(client))

    def change_and_read() -> None:
        ada.passes(1)
        a_change_by_others(ada)
        listed(elsewhere)
        other.run()

    ada.backend.inside = once(change_and_read)
    listed(ada)
    other.thread.join(WAIT_S)
    assert other.seen == [["c4", "c3"]]


def test_reload_joins_a_later_fetch(ada: User) -> None:
    deadline = Watched()
    client = ada.request(reload=True, deadline=deadline)
    follower = Reader(lambda: listed(client))

    ada.backend.before = once(lambda: join(follower, deadline))
    with ada.reads(1):
        listed(ada)
        follower.thread.join(WAIT_S)
    assert follower.seen == [["c5", "c4"]]


def test_rows_of_another_user_are_not_shared(ada: User) -> None:
    """A browser may hold ada's access token, and the refresh token of another user."""
    own, mixed, deadline = ada.backend.rows, TokenStore(ada.tokens.current), Watched()
    ada.backend.users["opaque"] = "ben"
    follower = Reader(lambda: listed(ada.request(deadline=deadline)))

    def when_joined() -> None:
        join(follower, deadline)
        ada.backend.rows = [{"id": "b1", "name": "ben's"}]
        mixed.rotate(TokenPair(access="opaque"), replaced=str(ada.tokens.current.refresh))

    ada.backend.before = once(when_joined)
    ada.backend.inside = lambda _method, _path: setattr(ada.backend, "rows", own)
    assert ids(clients(ada.process.request_with(mixed))) == ["b1"]
    follower.thread.join(WAIT_S)
    assert follower.seen == [["c5", "c4"]]


@pytest.mark.parametrize(
    ("failure", "leader", "calls"),
    [
        (ApiForbiddenError(status=403), {}, 1),
        (unavailable(), {}, 3),
        (ApiUnauthorizedError(status=401), {}, 2),
        (ApiTimeoutError(), {"deadline": Deadline(0.05)}, 2),
    ],
    ids=["a refusal", "each of its tries fails", "its token is refused", "its time is short"],
)
def test_failure_is_shared_by_all_who_wait(ada: User, failure: Exception, leader: dict[str, Any], calls: int) -> None:
    """A refused token or a short time is the leader's own: the follower asks, and has the rows."""
    deadline = Watched()
    follower = Reader(lambda: [type(clients(ada.request(deadline=deadline)).error).__name__])

    ada.backend.before = once(lambda: join(follower, deadline))
    ada.backend.failures = [failure] * (3 if calls != 2 else 1)
    with ada.reads(calls):
        assert type(clients(ada.request(**leader)).error) is type(failure)
        follower.thread.join(WAIT_S)
    assert follower.seen == [[type(failure).__name__ if calls != 2 else "NoneType"]]


def test_reload_fetches_each_shown_page_once(ada: User) -> None:
    listed(ada, pages=3)
    for row in ada.backend.rows:
        row["name"] = "changed"
    client = ada.request(reload=True)
    with ada.reads(4):
        for _ in range(3):
            assert set(names(client, pages=2).values()) == {"changed"}
            summary(client)
        assert {row["name"] for row in clients(client, pages=2).fetch_next_page().data.items} == {"changed"}
        assert set(names(ada.elsewhere(), pages=2).values()) == {"changed"}


def test_result_tells_when_its_oldest_page_left(ada: User) -> None:
    began = datetime.fromtimestamp(ada.world.clock.now, tz=UTC)
    clients(ada)
    ada.passes(60)
    assert clients(ada, pages=2).as_of == began
    assert clients(ada.request(reload=True)).as_of == began + timedelta(seconds=60)
    ada.store.values.clear()
    ada.backend.failures = [unavailable()] * 3
    assert clients(ada).as_of is None
