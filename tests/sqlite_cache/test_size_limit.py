"""The limits of the cache's size: what goes, and what a store that may not evict refuses."""

import contextlib
import sqlite3

import pytest
from django.core.exceptions import ImproperlyConfigured

from sqlite_cache import CacheFullError, SQLiteCache


def count(cache: SQLiteCache) -> int:
    with sqlite3.connect(cache.path) as connection:
        number = connection.execute("SELECT COUNT(*) FROM entries").fetchone()[0]
    connection.close()
    return number


@pytest.mark.parametrize(("options", "left"), [({}, range(21, 50)), ({"CULL_FREQUENCY": 0}, range(32, 50))])
def test_over_the_limit_the_soonest_to_expire_go_first_or_everything(make_sqlite, options, left):
    cache = make_sqlite(MAX_ENTRIES=30, **options)
    for number in range(1, 50):
        cache.set(f"key{number}", "value", 1000 + number)
    # Django's own count for this case: one in three goes whenever there are more than thirty.
    assert [number for number in range(1, 50) if cache.has_key(f"key{number}")] == list(left)


def test_what_has_expired_leaves_the_file_in_time(make_sqlite, clock):
    cache = make_sqlite()
    cache.clock = clock
    cache.set_many({f"old{number}": 1 for number in range(500)}, 10)
    clock.now += 11
    for number in range(200):
        cache.set("key", number)
    assert count(cache) == 1


def test_the_limit_in_bytes_holds(make_sqlite):
    cache = make_sqlite(MAX_BYTES=300_000)
    for number in range(1000):
        cache.set(f"key{number}", "x" * 2000, 1000)
    assert cache.size_in_bytes() < 300_000 + 128 * 4096
    assert cache.get("key999") is not None


def test_a_store_that_may_not_evict_refuses_new_entries_keeps_the_old_and_takes_a_result(make_sqlite, clock):
    cache = make_sqlite(MAX_ENTRIES=30, WHEN_FULL="refuse")
    cache.clock = clock
    for number in range(31):
        cache.add(f"lock{number}", 1, 15)
    for _ in range(2):
        with pytest.raises(CacheFullError, match="limit"):
            cache.add("lock31", 1, 15)
    # A process with a lock can store its result.
    cache.set("result", "value", 15)
    assert count(cache) == 32
    clock.now += 16
    assert cache.add("another", 1, 15) is True


def test_a_full_store_takes_no_lock_whatever_else_is_written_beside_it(make_sqlite):
    """Each lock comes with results: also where every look at the size falls on a result, the store grows no further."""
    cache = make_sqlite(MAX_ENTRIES=512, WHEN_FULL="refuse")
    taken = 0
    with contextlib.suppress(CacheFullError):
        for number in range(1000):
            cache.add(f"lock{number}", 1, 1000)
            cache.set(f"result{number}", 1, 1000)
            taken += 1
    assert 2 * taken <= 512 + cache.size_limit.writes_per_look


def test_an_unknown_behaviour_when_full_is_refused(make_sqlite):
    with pytest.raises(ImproperlyConfigured, match="WHEN_FULL"):
        make_sqlite(WHEN_FULL="maybe")
