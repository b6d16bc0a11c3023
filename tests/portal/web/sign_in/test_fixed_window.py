"""A window of counted sign-ins: on every store, across threads and processes."""

from __future__ import annotations

import time

import pytest

from portal.web.sign_in.rate_limit import FixedWindow
from tests.support.forks import at_once
from tests.support.given_store import StoreOn

KEY = "who"


def window_on(cache, clock=time.time, *, limit=2, key=KEY) -> FixedWindow:
    return FixedWindow(name="test", key=key, limit=limit, store=StoreOn(cache), clock=clock, window_s=60)


@pytest.fixture
def window(cache, clock):
    return window_on(cache, clock)


def test_a_window_counts_for_its_key_up_to_its_limit_and_ends_where_its_first_count_says(window, cache, clock):
    assert not window.is_full()
    window.take_back()
    assert window.count()
    clock.advance(30)
    assert [window.count() for _ in range(2)] == [True, False]
    assert window.is_full()
    assert window.retry_after() == 30
    assert window_on(cache, clock, key="other").count()
    cache.delete(f"test:{KEY}:end")
    assert window.retry_after() == 1, "its end is lost"


def test_a_counter_that_was_taken_back_begins_a_new_window(window, clock):
    window.count()
    window.take_back()
    clock.advance(30)
    assert window.count()
    assert window.retry_after() == 60
    assert [window.count() for _ in range(2)] == [True, False]


@pytest.mark.redis
@pytest.mark.parametrize("counted_before", [0, 1])
def test_a_counter_that_ends_while_it_is_added_to_ends_again(make_redis, monkeypatch, counted_before):
    cache = make_redis()
    client = cache._cache.get_client(write=True)
    window = window_on(cache)
    for _ in range(counted_before):
        window.count()
    exists = client.exists

    def ends_between(name):
        found = exists(name)
        client.delete(name)
        return found

    monkeypatch.setattr(client, "exists", ends_between)
    monkeypatch.setattr(cache._cache, "get_client", lambda *_, **__: client)
    assert window.count()
    assert 0 < client.ttl(cache.make_key(f"test:{KEY}")) <= 60
    assert cache.get(f"test:{KEY}") == 1


def test_threads_are_let_through_exactly_as_often_as_the_limit_says(cache):
    window = window_on(cache, limit=10)
    passed = at_once(12, lambda _: [window.count() for _ in range(5)])
    assert sum(map(sum, passed)) == 10
