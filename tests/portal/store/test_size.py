"""How full a store is: asked every few seconds at most, with warnings before it is full."""

import logging

import pytest
from django.core.cache.backends.redis import RedisCache

from portal.errors import StoreUnavailableError
from portal.store.inspection import StoreServer, inspect
from portal.store.size import LOOK_EVERY_S, SIZE_TTL_S, SizeWatch
from tests.support.fake_clock import FakeClock
from tests.support.given_store import StoreOn
from tests.support.redis_server import running_redis

MB = 1024 * 1024


class Asked:
    """A store that gives one size after another, then the last one again and again."""

    def __init__(self, *used: int, limit: int | None = 100 * MB) -> None:
        self.sizes = [StoreServer(used=number * MB, limit=limit) for number in used]
        self.times = 0

    def __call__(self) -> StoreServer:
        self.times += 1
        return self.sizes.pop(0) if len(self.sizes) > 1 else self.sizes[0]


def watch(ask, clock) -> SizeWatch:
    return SizeWatch(alias="refresh", ask=ask, clock=clock)


def looks(ask, times: int, caplog) -> list[str]:
    clock = FakeClock()
    watched = watch(ask, clock)
    with caplog.at_level(logging.WARNING):
        for _ in range(times):
            watched.size()
            clock.now += SIZE_TTL_S
    return [record.getMessage() for record in caplog.records]


@pytest.mark.redis
def test_a_store_tells_its_size_and_its_limit_and_none_where_it_has_none(make_sqlite, make_redis, tmp_path):
    cache = make_sqlite(MAX_BYTES=5 * MB)
    cache.set("key", "x" * MB)
    with running_redis(tmp_path, "--maxmemory", "5mb") as server:
        for size in (StoreOn(cache).size(), inspect(RedisCache(server.url(), {}))[0]):
            assert size is not None
            assert 0 < size.used < 2 * MB
            assert size.limit == 5 * MB
    assert StoreOn(cache).size().used > MB
    assert inspect(make_redis())[0].limit is None


def test_it_is_asked_once_in_some_seconds():
    clock, ask = FakeClock(), Asked(1, 2)
    watched = watch(ask, clock)
    assert [watched.size().used for _ in range(5)] == [MB] * 5
    clock.now += SIZE_TTL_S
    assert watched.size().used == 2 * MB
    assert ask.times == 2


def test_another_thread_does_not_wait_while_one_asks():
    seen = []
    watched = watch(lambda: seen.append(watched.size()) or StoreServer(), FakeClock())
    watched.size()
    assert seen == [None]


def test_a_store_that_is_down_has_no_size_and_is_not_asked_again_at_once():
    asked = []

    def ask():
        asked.append(1)
        raise StoreUnavailableError("down")

    watched = watch(ask, FakeClock())
    assert [watched.size() for _ in range(3)] == [None] * 3
    assert len(asked) == 1


def test_writes_of_a_store_look_at_its_size_now_and_then(make_sqlite):
    store = StoreOn(make_sqlite())
    clock, ask = FakeClock(), Asked(1)
    store._size = watch(ask, clock)
    for looks, write in enumerate(
        (store.add, store.set, lambda key, _, **options: store.set_many({key: 1}, **options))
    ):
        write("key", 1, lifetime_s=60)
        assert ask.times == looks, "not yet"
        clock.now += LOOK_EVERY_S
        for number in range(3):
            write(f"key{looks}{number}", 1, lifetime_s=60)
        assert ask.times == looks + 1


def test_it_is_said_from_seventy_per_cent_on_once_for_each_ten_more(caplog):
    said = looks(Asked(50, 69, 70, 71, 79, 80, 89, 97, 100, 100), 10, caplog)
    assert [line.partition(" is ")[2].partition(" ")[0] for line in said] == ["70%", "80%", "97%", "100%"]
    assert said[0] == "store 'refresh' is 70% full: 70 of 100 MB"


def test_the_warnings_start_again_after_the_store_was_emptied_and_without_a_limit_there_are_none(caplog):
    assert looks(Asked(10_000, limit=None), 2, caplog) == []
    assert len(looks(Asked(75, 65, 75, 55, 75), 5, caplog)) == 2


@pytest.mark.parametrize(("ahead_s", "is_told"), [(0.9, False), (1.5, True), (-90.0, True), (None, False)])
def test_a_clock_that_differs_by_a_second_is_told_once_a_minute(ahead_s, is_told, caplog):
    def ask() -> StoreServer:
        return StoreServer(used=1, clock_ahead_s=ahead_s)

    lines = [line for line in looks(ask, int(LOOK_EVERY_S / SIZE_TTL_S) + 1, caplog) if "clock is" in line]
    assert len(lines) == (2 if is_told else 0)


@pytest.mark.redis
def test_the_clock_of_a_redis_is_compared_with_this_machines(make_redis, monkeypatch):
    [server] = inspect(make_redis())
    assert abs(server.clock_ahead_s) < 1
    monkeypatch.setattr("portal.store.inspection.time.time", lambda: 0.0)
    [server] = inspect(make_redis())
    assert server.clock_ahead_s > 1_000_000_000
