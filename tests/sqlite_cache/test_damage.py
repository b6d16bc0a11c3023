"""The file is damaged, or gone."""

import contextlib
import os

import pytest

from sqlite_cache import close_idle_connections
from sqlite_cache.file import open_database
from tests.support.forks import fork, in_processes


def damage(path) -> None:
    target = path.resolve()
    for part in target.parent.glob(f"{target.name}*"):
        size = part.stat().st_size
        with part.open("r+b") as file:
            file.write(os.urandom(max(size, 8192)))


def test_a_damaged_file_is_replaced_by_an_empty_one_said_so_and_the_last_one_is_kept(make_sqlite, sqlite_path, caplog):
    cache = make_sqlite()
    names = []
    for _ in range(3):
        cache.set("key", "a secret of the user")
        names.append(sqlite_path.resolve())
        close_idle_connections()
        damage(sqlite_path)
        caplog.clear()
        assert cache.get("key") is None
        assert "is damaged" in caplog.text
        assert "secret" not in caplog.text
    assert len({*names, sqlite_path.resolve()}) == 4
    assert [name.exists() for name in names] == [False, False, True]


def test_processes_that_meet_the_damage_at_once_agree_on_one_new_file(make_sqlite, sqlite_path):
    make_sqlite().set("key", 1)
    close_idle_connections()
    damage(sqlite_path)
    wins = fork.Value("i", 0)

    def meet() -> None:
        if make_sqlite().add("lock", 1, 60):
            with wins.get_lock():
                wins.value += 1

    in_processes(4, meet)
    assert wins.value == 1


def remove_the_file(sqlite_path) -> None:
    for file in sqlite_path.parent.iterdir():
        file.unlink()


@pytest.mark.parametrize("late_reader", [False, True])
def test_no_lock_is_won_in_a_file_that_was_replaced(make_sqlite, sqlite_path, late_reader: bool):
    """Nor beside a reader that looked before, and ends its look between a writer's look and the write."""
    cache = make_sqlite()
    cache.set("a", 1)
    pool, old = cache.database.pool, cache.database.pool._identity()
    remove_the_file(sqlite_path)
    with contextlib.closing(open_database(sqlite_path, busy_timeout_s=1)) as another_process:
        another_process.execute("INSERT INTO entries (key, value) VALUES (':1:lock', 1)")

    class LockAfterALateReader:
        def __enter__(self):
            if late_reader:
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
    assert cache.get("key") is None
    remove_the_file(sqlite_path)
    cache.set("key", 1)
    assert cache.get("key") == 1, "what this process has written it reads also in a new file"
    remove_the_file(sqlite_path)
    now[0] += 0.049
    assert cache.get("key") == 1
    assert cache.get_many(["key"]) == {"key": 1}
    now[0] += 0.002
    assert cache.get_many(["key"]) == {}
