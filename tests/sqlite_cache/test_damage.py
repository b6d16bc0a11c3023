"""The file is damaged, or gone."""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os

from sqlite_cache import close_idle_connections
from sqlite_cache.file import open_database


def damage(path) -> None:
    target = path.resolve()
    for part in target.parent.glob(f"{target.name}*"):
        size = part.stat().st_size
        with part.open("r+b") as file:
            file.write(os.urandom(max(size, 8192)))


def test_a_damaged_file_is_replaced_by_an_empty_one_and_said_so(make_sqlite, sqlite_path, caplog):
    cache = make_sqlite()
    cache.set("key", "a secret of the user")
    damaged = sqlite_path.resolve()
    close_idle_connections()
    damage(sqlite_path)
    with caplog.at_level(logging.ERROR):
        assert cache.get("key") is None
    assert "is damaged" in caplog.text
    assert "secret" not in caplog.text
    cache.set("key", 2)
    assert cache.get("key") == 2
    assert sqlite_path.resolve() != damaged
    assert damaged.exists()


def test_of_two_damaged_files_the_last_is_kept(make_sqlite, sqlite_path):
    cache = make_sqlite()
    names = []
    for _ in range(3):
        cache.set("key", 1)
        names.append(sqlite_path.resolve())
        close_idle_connections()
        damage(sqlite_path)
        assert cache.get("key") is None
    assert [name.exists() for name in names] == [False, False, True]


def test_processes_that_meet_the_damage_at_once_agree_on_one_new_file(make_sqlite, sqlite_path):
    make_sqlite().set("key", 1)
    close_idle_connections()
    damage(sqlite_path)
    context = multiprocessing.get_context("fork")
    barrier, wins = context.Barrier(4), context.Value("i", 0)

    def meet() -> None:
        cache = make_sqlite()
        barrier.wait()
        if cache.add("lock", 1, 60):
            with wins.get_lock():
                wins.value += 1

    processes = [context.Process(target=meet) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * 4
    assert wins.value == 1


def remove_the_file(sqlite_path) -> None:
    for file in sqlite_path.parent.iterdir():
        file.unlink()


def test_a_file_that_is_removed_while_in_use_is_made_again(make_sqlite, sqlite_path):
    cache = make_sqlite()
    cache.set("key", 1)
    remove_the_file(sqlite_path)
    cache.set("key", 2)
    assert make_sqlite().get("key") == 2


def test_no_lock_is_won_in_a_file_that_was_replaced(make_sqlite, sqlite_path):
    cache = make_sqlite()
    cache.set("key", 1)
    remove_the_file(sqlite_path)
    with contextlib.closing(open_database(sqlite_path, busy_timeout_s=1)) as another_process:
        another_process.execute("INSERT INTO entries (key, value) VALUES (':1:lock', 1)")
    assert not cache.add("lock", 1, 60)


def test_no_lock_is_won_in_a_replaced_file_beside_a_reader_that_looked_before(make_sqlite, sqlite_path):
    """A reader that looked before the file was replaced ends its look between a writer's look and the write."""
    cache = make_sqlite()
    cache.set("a", 1)
    pool, old = cache.database.pool, cache.database.pool._identity()
    remove_the_file(sqlite_path)
    with contextlib.closing(open_database(sqlite_path, busy_timeout_s=1)) as another_process:
        another_process.execute("INSERT INTO entries (key, value) VALUES (':1:lock', 1)")

    class LockAfterALateReader:
        def __enter__(self):
            pool._current = old
            return lock.__enter__()

        def __exit__(self, *failure):
            return lock.__exit__(*failure)

    lock, pool._lock = pool._lock, LockAfterALateReader()
    try:
        assert not cache.add("lock", "of this process")
    finally:
        pool._lock = lock


def test_a_read_of_a_damaged_file_recovers_with_several_connections_at_hand(make_sqlite, sqlite_path):
    cache = make_sqlite()
    cache.set("a", "b" * 3000)
    pool = cache.database.pool
    slots = [pool.take(), pool.take()]
    for slot in slots:
        pool.give_back(slot)
    slots[0].connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    damage(sqlite_path)
    pool._next_look = pool.clock() + 60
    assert cache.get("a") is None


def test_a_read_looks_for_another_file_20_times_a_second(make_sqlite, sqlite_path):
    cache, now = make_sqlite(), [100.0]
    cache.database.pool.clock = lambda: now[0]
    cache.set("key", 1)
    remove_the_file(sqlite_path)
    now[0] += 0.049
    assert cache.get("key") == 1
    assert cache.get_many(["key"]) == {"key": 1}
    now[0] += 0.002
    assert cache.get_many(["key"]) == {}


def test_what_this_process_has_written_it_reads_also_in_a_new_file(make_sqlite, sqlite_path):
    cache = make_sqlite()
    cache.database.pool.clock = lambda: 100.0
    assert cache.get("key") is None
    remove_the_file(sqlite_path)
    cache.set("key", 2)
    assert cache.get("key") == 2
