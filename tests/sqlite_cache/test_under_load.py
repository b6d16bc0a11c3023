"""The cache when processes write and read without a pause: its journal stays small, and no write fails."""

from __future__ import annotations

import multiprocessing
import sqlite3

import pytest

from sqlite_cache import SQLiteCache
from sqlite_cache.file import journal_bytes, open_database

MB = 2**20
VALUE = "x" * 8000
WRITES_EACH = 3000


def write(path, writer, results) -> None:
    cache = SQLiteCache(str(path), {"OPTIONS": {"MAX_BYTES": 16 * MB, "BUSY_TIMEOUT_S": 30}})
    cache.size_limit.max_journal_bytes = 2 * MB
    failed = 0
    for number in range(WRITES_EACH):
        try:
            cache.set(f"{writer}:{number}", VALUE, 900)
        except sqlite3.Error:
            failed += 1
    results.put(failed)


def read(path, done) -> None:
    cache = SQLiteCache(str(path), {})
    number = 0
    while not done.is_set():
        cache.get_many([f"{number % 2}:{number + step}" for step in range(8)])
        number += 1


def test_the_journal_stays_small_while_others_always_read_and_no_write_fails(sqlite_path):
    context = multiprocessing.get_context("fork")
    done, results = context.Event(), context.Queue()
    readers = [context.Process(target=read, args=(sqlite_path, done)) for _ in range(2)]
    writers = [context.Process(target=write, args=(sqlite_path, number, results)) for number in range(2)]
    for process in (*readers, *writers):
        process.start()
    largest = 0
    while any(process.is_alive() for process in writers):
        if sqlite_path.exists():
            largest = max(largest, journal_bytes(sqlite_path))
        writers[0].join(0.02)
        writers[1].join(0.02)
    done.set()
    for process in (*readers, *writers):
        process.join(60)
        assert process.exitcode == 0
    assert [results.get(timeout=10) for _ in writers] == [0, 0]
    # Left to SQLite it grew to 80 MB and more here. It passes its limit for a few looks, until one meets a moment in
    # which no process reads: the fewer cores there are, the more looks.
    assert 0 < largest < 40 * MB
    assert SQLiteCache(str(sqlite_path), {}).size_in_bytes() < 32 * MB


def test_a_reader_that_does_not_end_holds_up_the_journal_and_no_write(make_sqlite, sqlite_path):
    cache = make_sqlite()
    limit = cache.size_limit
    limit.max_journal_bytes, limit.writes_per_look, limit.empty_journal_for_s = 0, 1, 0.05
    cache.set("before", 1)
    reader = open_database(sqlite_path, busy_timeout_s=1)
    reader.execute("BEGIN")
    reader.execute("SELECT COUNT(*) FROM entries").fetchone()
    for number in range(20):
        cache.set(f"key{number}", VALUE)
    assert cache.get("key19") == VALUE
    assert journal_bytes(sqlite_path) > 20 * 8000
    reader.execute("COMMIT")
    reader.close()
    cache.set("after", 1)
    assert journal_bytes(sqlite_path) < 20 * 8000


def test_making_room_lets_others_write_in_between(make_sqlite, sqlite_path):
    make_sqlite().set_many({f"key{number}": VALUE for number in range(300)}, 900)
    cache = make_sqlite(MAX_ENTRIES=64)
    cache.size_limit.rows_per_statement, cache.size_limit.make_room_for_s = 10, 60
    written = []

    def another_writes(_seconds: float) -> None:
        with_a_gap = open_database(sqlite_path, busy_timeout_s=0)
        with_a_gap.execute("UPDATE entries SET value = 'seen' WHERE key = 'key299'")
        with_a_gap.close()
        written.append(1)

    cache.database.sleep = another_writes
    cache.set("one-more", 1, 900)
    assert len(written) == 9
    assert cache.get_many([f"key{number}" for number in range(100)]) == {}
    assert cache.has_key("key100")


def test_one_write_makes_room_for_a_bounded_time_and_the_next_goes_on(make_sqlite):
    make_sqlite().set_many({f"key{number}": 1 for number in range(300)}, 900)
    cache = make_sqlite(MAX_ENTRIES=64)
    cache.size_limit.rows_per_statement, cache.size_limit.make_room_for_s = 10, 0
    for round_ in range(1, 5):
        cache.set("one-more", 1, 900)
        assert sum(cache.has_key(f"key{number}") for number in range(300)) == 300 - 10 * round_


@pytest.mark.parametrize("policy", ["evict", "refuse"])
def test_what_never_expires_goes_last_and_only_where_something_may_go(make_sqlite, policy):
    make_sqlite().set_many({f"lasting{number}": 1 for number in range(40)}, None)
    make_sqlite().set("ending", 1, 900)
    cache = make_sqlite(MAX_ENTRIES=30, WHEN_FULL=policy)
    cache.set("another", 1, 900)
    assert cache.has_key("ending") is (policy == "refuse")
    left = sum(cache.has_key(f"lasting{number}") for number in range(40))
    assert left == (40 if policy == "refuse" else 28)
