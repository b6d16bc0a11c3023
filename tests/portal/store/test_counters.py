"""The counters of failed sign-ins: on every store, across threads and processes."""

from __future__ import annotations

import multiprocessing
import threading

import pytest
from limits import RateLimitItemPerMinute
from limits.strategies import FixedWindowRateLimiter

from portal.errors import StoreUnavailableError, UsageError
from portal.store.counters import SharedCounters
from sqlite_cache import SQLiteCache
from tests.support.given_store import StoreOn

KEY = "who"


class Broken:
    def __getattr__(self, name):
        raise OSError("gone")


@pytest.fixture
def counters(cache):
    return SharedCounters(store=StoreOn(cache))


def test_counts_and_says_when_the_window_ends(cache):
    counters = SharedCounters(store=StoreOn(cache), clock=lambda: 1000.0)
    assert counters.get(KEY) == 0
    assert [counters.incr(KEY, 60) for _ in range(3)] == [1, 2, 3]
    assert counters.get(KEY) == 3
    assert counters.get_expiry(KEY) == 1060.0


def test_a_later_count_does_not_move_the_end(cache):
    now = [1000.0]
    counters = SharedCounters(store=StoreOn(cache), clock=lambda: now[0])
    counters.incr(KEY, 60)
    now[0] = 1030.0
    counters.incr(KEY, 60)
    assert counters.get_expiry(KEY) == 1060.0


def test_a_window_ends_by_itself(make_sqlite):
    cache = make_sqlite()
    now = [1000.0]
    cache.clock = lambda: now[0]
    counters = SharedCounters(store=StoreOn(cache), clock=lambda: now[0])
    counters.incr(KEY, 60)
    counters.incr(KEY, 60)
    now[0] = 1061.0
    assert counters.get(KEY) == 0
    assert counters.incr(KEY, 60) == 1


@pytest.mark.redis
def test_a_counter_that_ends_while_it_is_added_to_ends_again(make_redis, monkeypatch):
    cache = make_redis()
    client = cache._cache.get_client(write=True)
    counters = SharedCounters(store=StoreOn(cache))
    counters.incr(KEY, 60)
    exists = client.exists

    def ends_between(name):
        found = exists(name)
        client.delete(name)
        return found

    monkeypatch.setattr(client, "exists", ends_between)
    monkeypatch.setattr(cache._cache, "get_client", lambda *_, **__: client)
    assert counters.incr(KEY, 60) == 1
    assert 0 < client.ttl(cache.make_key(KEY)) <= 60


def test_a_counter_that_was_given_back_begins_a_window_anew(cache):
    now = [1000.0]
    counters = SharedCounters(store=StoreOn(cache), clock=lambda: now[0])
    counters.incr(KEY, 60)
    counters.incr(KEY, 60, amount=-1)
    now[0] = 1030.0
    assert counters.incr(KEY, 60) == 1
    assert counters.get_expiry(KEY) == 1090.0


def test_taking_from_a_window_that_has_ended_changes_nothing(counters):
    assert counters.incr(KEY, 60, amount=-1) == 0
    assert counters.get(KEY) == 0
    assert counters.incr(KEY, 60) == 1


def test_one_counter_is_forgotten_and_no_other(counters):
    counters.incr(KEY, 60)
    counters.incr("other", 60)
    counters.clear(KEY)
    assert (counters.get(KEY), counters.get("other")) == (0, 1)


def test_everything_is_never_forgotten_at_once(counters):
    with pytest.raises(UsageError):
        counters.reset()


def test_a_store_that_is_down_is_said_so():
    counters = SharedCounters(store=StoreOn(Broken()))
    assert counters.check() is False
    with pytest.raises(StoreUnavailableError):
        counters.incr(KEY, 60)


def test_a_store_that_answers_is_sound(counters):
    assert counters.check() is True


def test_threads_are_let_through_exactly_as_often_as_the_limit_says(counters):
    item = RateLimitItemPerMinute(10)
    limiter = FixedWindowRateLimiter(counters)
    passed = []
    start = threading.Barrier(12)

    def try_often():
        start.wait()
        passed.extend(limiter.hit(item, KEY) for _ in range(5))

    threads = [threading.Thread(target=try_often) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert passed.count(True) == 10
    assert len(passed) == 60


def _try_in_a_process(path, start, answers):
    limiter = FixedWindowRateLimiter(SharedCounters(store=StoreOn(SQLiteCache(path, {}))))
    start.wait()
    answers.put(sum(limiter.hit(RateLimitItemPerMinute(10), KEY) for _ in range(5)))


def test_so_are_processes(sqlite_path):
    context = multiprocessing.get_context("spawn")
    start, answers = context.Barrier(4), context.Queue()
    processes = [context.Process(target=_try_in_a_process, args=(str(sqlite_path), start, answers)) for _ in range(4)]
    for process in processes:
        process.start()
    passed = [answers.get(timeout=60) for _ in processes]
    for process in processes:
        process.join()
    assert sum(passed) == 10
