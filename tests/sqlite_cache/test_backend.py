"""The cache: its clock and its file."""

import contextlib
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.core.cache import CacheKeyWarning

from sqlite_cache import CacheUnavailableError, SQLiteCache
from sqlite_cache.file import empty_journal
from tests.support.forks import child_finishes, fork, meanwhile


@pytest.fixture
def cache(timed_sqlite):
    return timed_sqlite


# --- keys ---


@pytest.mark.parametrize("key", ["with a space", "k" * 250, "with\x7fdelete"])
def test_a_key_that_memcached_would_not_take_is_warned_of_when_it_is_set(cache, key):
    with pytest.warns(CacheKeyWarning):
        cache.set(key, 1)
    assert cache.get(key) == 1
    assert cache.get_many(["usual", key]) == {key: 1}


def test_the_settings_key_function_prefix_and_version_make_the_names(sqlite_path):
    by_settings = {"KEY_FUNCTION": lambda key, prefix, version: f"{key}/{prefix}/{version}"}
    cache = SQLiteCache(str(sqlite_path), {"KEY_PREFIX": "p", "VERSION": 3, **by_settings})
    cache.set("key", 1)
    assert (cache.get("key"), cache.get_many(["key"]), cache.get("key", version=4)) == (1, {"key": 1}, None)
    usual = SQLiteCache(str(sqlite_path), {"KEY_PREFIX": "p", "VERSION": 3})
    assert usual.get("key") is None
    usual.set("key", 2, version=5)
    assert (usual.get("key", version=5), usual.get_many(["key"], version=5)) == (2, {"key": 2})
    with contextlib.closing(sqlite3.connect(sqlite_path)) as connection:
        names = connection.execute("SELECT key FROM entries ORDER BY key").fetchall()
    assert names == [("key/p/3",), ("p:5:key",)]


# --- time ---


def test_an_entry_expires_after_its_lifetime_and_can_be_added_again_but_not_touched_raised_or_deleted(cache, clock):
    cache.set("key", 1, timeout=10)
    clock.now += 9.75
    assert cache.get("key") == 1
    clock.now += 0.25
    assert cache.get("key") is None
    assert not cache.has_key("key")
    assert cache.get_many(["key"]) == {}
    assert cache.touch("key", 60) is False
    assert cache.delete("key") is False
    with pytest.raises(ValueError, match="not found"):
        cache.incr("key")
    assert cache.add("key", 2, timeout=10) is True
    assert cache.get("key") == 2


def test_touch_counts_from_now_and_incr_leaves_the_lifetime_as_it_was(cache, clock):
    cache.set("key", 1, timeout=10)
    clock.now += 9
    assert cache.touch("key", 10) is True
    clock.now += 9
    assert cache.incr("key") == 2
    clock.now += 1
    assert cache.get("key") is None


def test_incr_of_what_is_no_integer_is_refused(cache):
    cache.set("key", "text")
    with pytest.raises(TypeError, match="no integer"):
        cache.incr("key")
    assert cache.get("key") == "text"


# --- the file ---


def test_the_folder_and_the_files_are_private(make_sqlite, sqlite_path):
    cache = make_sqlite()
    cache.set("key", 1)
    assert stat.S_IMODE(sqlite_path.parent.stat().st_mode) == 0o700
    files = list(sqlite_path.parent.iterdir())
    assert len(files) >= 3
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


@pytest.mark.parametrize("mode", [0o750, 0o705])
def test_a_folder_that_others_may_enter_is_made_private(make_sqlite, sqlite_path, mode):
    sqlite_path.parent.mkdir(mode=mode)
    make_sqlite().set("key", 1)
    assert stat.S_IMODE(sqlite_path.parent.stat().st_mode) == 0o700


def test_a_folder_of_another_user_is_an_error(tmp_path):
    if os.geteuid() == 0:
        folder = tmp_path / "theirs"
        folder.mkdir(mode=0o700)
        os.chown(folder, 12345, 12345)
    else:
        folder = Path("/")
    with pytest.raises(CacheUnavailableError, match="belongs to user"):
        SQLiteCache(str(folder / "cache.sqlite3"), {}).get("key")


@pytest.mark.parametrize("value", ["personal data", "personal data" * 2000])
def test_what_was_removed_can_not_be_read_in_the_file(make_sqlite, sqlite_path, value):
    cache = make_sqlite()
    cache.set_many({f"key{number}": value for number in range(20)}, 900)
    with cache.database.pool.connection() as connection:
        assert empty_journal(connection, limit_s=5)
    assert b"personal data" in sqlite_path.read_bytes()
    cache.delete_many([f"key{number}" for number in range(20)])
    with cache.database.pool.connection() as connection:
        assert empty_journal(connection, limit_s=5)
    assert not [file.name for file in sqlite_path.parent.iterdir() if b"personal data" in file.read_bytes()]


def test_a_process_that_writes_without_a_break_starves_no_other(make_sqlite, sqlite_path):
    cache = make_sqlite(BUSY_TIMEOUT_S=30)
    cache.set("key", 1)
    blocker = sqlite3.connect(sqlite_path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    pauses = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 50:
            blocker.execute("ROLLBACK")

    cache.database.sleep = pause
    cache.set("key", 2)
    blocker.close()
    assert cache.get("key") == 2
    # SQLite's own pauses would have grown to 100 ms each: it meets a gap of a busy writer ever less often.
    assert len(pauses) == 50
    assert 0 < max(pauses) <= 0.003


# --- processes and threads ---


def test_a_fork_while_another_thread_works_harms_neither(make_sqlite):
    cache = make_sqlite()
    cache.set("sum", 0, None)
    kept = fork.Value("i", 0)

    def child() -> None:
        kept.value += len(cache.database.pool._idle)
        cache.incr("sum")

    with meanwhile(lambda: cache.incr("sum")):
        for _ in range(10):
            assert child_finishes(child)
    assert kept.value == 0, "a child process uses connections of its own"
    assert cache.database.run("PRAGMA integrity_check")[0] == [("ok",)]


def test_a_process_killed_in_the_middle_leaves_a_sound_store(make_sqlite, sqlite_path):
    make_sqlite().set("sum", 0, None)
    program = (
        "import sys; from sqlite_cache import SQLiteCache\n"
        "cache = SQLiteCache(sys.argv[1], {}); print('ready', flush=True)\n"
        "while True: cache.incr('sum')"
    )
    environment = {**os.environ, "PYTHONPATH": ".:packages"}
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", program, str(sqlite_path)], stdout=subprocess.PIPE, env=environment
        ) as process:
            assert process.stdout.readline() == b"ready\n"
            before = make_sqlite().get("sum")
            while make_sqlite().get("sum") < before + 50:
                assert process.poll() is None
            process.kill()
    cache = make_sqlite()
    assert cache.database.run("PRAGMA integrity_check")[0] == [("ok",)]
    assert cache.incr("sum") > 0


def test_ended_threads_leave_no_connections_behind(make_sqlite):
    cache = make_sqlite()
    for _ in range(50):
        thread = threading.Thread(target=lambda: cache.get("key"))
        thread.start()
        thread.join()
    assert len(cache.database.pool._idle) == 1


def test_get_many_takes_a_key_fewer_than_one_statement_has_parameters(cache):
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        parameters = connection.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER)
    names = [str(number) for number in range(parameters)]
    assert cache.get_many(names[1:]) == {}
    with pytest.raises(sqlite3.OperationalError, match="too many SQL variables"):
        cache.get_many(names)


# --- update ---


def test_an_update_takes_what_was_set_before_a_moment_for_missing_and_sees_what_was_set_later(cache, clock):
    seen = []

    def change(value):
        seen.append(value)
        return f"after {value}"

    cache.set("key", "old", 60)
    clock.now += 5
    cache.update("key", change, 60, since=clock.now)
    assert (seen, cache.get("key")) == ([None], "after None")
    cache.update("key", change, 60, since=clock.now - 1)
    assert (seen, cache.get("key")) == ([None, None, "after None"], "after after None")
    clock.now += 61
    cache.update("key", change, 60, since=0)
    assert cache.get("key") == "after None"
