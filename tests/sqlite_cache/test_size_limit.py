"""The limits of the cache's size: what goes, and what a store that may not evict refuses."""

from __future__ import annotations

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


def test_over_the_limit_the_soonest_to_expire_go_first(make_sqlite):
    cache = make_sqlite(MAX_ENTRIES=30)
    for number in range(1, 50):
        cache.set(f"key{number}", "value", 1000 + number)
    left = [number for number in range(1, 50) if cache.has_key(f"key{number}")]
    # Django's own count for this case: one in three goes whenever there are more than thirty.
    assert len(left) == 29
    assert left == list(range(21, 50))


def test_cull_frequency_zero_drops_everything(sqlite_path):
    cache = SQLiteCache(str(sqlite_path), {"OPTIONS": {"MAX_ENTRIES": 30, "CULL_FREQUENCY": 0}})
    for number in range(1, 50):
        cache.set(f"key{number}", "value", 1000)
    assert count(cache) == 18


def test_what_has_expired_goes_before_anything_alive(make_sqlite, clock):
    cache = make_sqlite(MAX_ENTRIES=30)
    cache.clock = clock
    for number in range(25):
        cache.set(f"old{number}", 1, 10)
    for number in range(25):
        cache.set(f"new{number}", 1, 1000)
        clock.now += 1
    assert all(cache.has_key(f"new{number}") for number in range(25))


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


def test_a_store_that_may_not_evict_refuses_new_entries_and_keeps_the_old(make_sqlite):
    cache = make_sqlite(MAX_ENTRIES=30, WHEN_FULL="refuse")
    for number in range(31):
        cache.add(f"lock{number}", 1, 1000)
    with pytest.raises(CacheFullError, match="limit"):
        cache.add("lock31", 1, 1000)
    assert count(cache) == 31
    assert all(cache.has_key(f"lock{number}") for number in range(31))
    with pytest.raises(CacheFullError):
        cache.add("another", 1, 1000)


def test_a_process_with_a_lock_can_store_its_result_in_a_full_store(make_sqlite):
    cache = make_sqlite(MAX_ENTRIES=30, WHEN_FULL="refuse")
    for number in range(31):
        cache.add(f"lock{number}", 1, 1000)
    cache.set("result", "value", 1000)
    assert cache.get("result") == "value"


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


def test_a_full_store_takes_entries_again_when_old_ones_have_expired(make_sqlite, clock):
    cache = make_sqlite(MAX_ENTRIES=30, WHEN_FULL="refuse")
    cache.clock = clock
    for number in range(31):
        cache.add(f"lock{number}", 1, 15)
    with pytest.raises(CacheFullError):
        cache.add("too-many", 1, 15)
    clock.now += 16
    assert cache.add("another", 1, 15) is True


def test_an_unknown_behaviour_when_full_is_refused(make_sqlite):
    with pytest.raises(ImproperlyConfigured, match="WHEN_FULL"):
        make_sqlite(WHEN_FULL="maybe")
