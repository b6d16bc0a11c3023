"""Opening the file while others make or replace it, and while the process forks."""

import contextlib
import fcntl
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor, wait

import pytest

from sqlite_cache import CacheUnavailableError, SQLiteCache
from sqlite_cache.file import open_database
from tests.sqlite_cache.test_damage import damage
from tests.support.forks import in_child


@pytest.mark.parametrize("times", [1, 1000])
def test_a_file_that_is_replaced_while_it_is_opened_is_not_used(make_sqlite, sqlite_path, times):
    cache = make_sqlite()
    cache.set("key", 1)
    cache.database.pool.close_idle()
    connect, left = cache.database.pool._connect, [times]

    def connect_too_early():
        connection = connect()
        if left[0]:
            left[0] -= 1
            for file in sqlite_path.parent.iterdir():
                file.unlink()
            open_database(sqlite_path, busy_timeout_s=1).close()
        return connection

    cache.database.pool._connect = connect_too_early
    if times > 1:
        with pytest.raises(CacheUnavailableError, match="replaced"):
            cache.get("key")
        left[0] = 0
    assert cache.add("lock", 1, 60)
    with contextlib.closing(sqlite3.connect(sqlite_path)) as another:
        assert another.execute("SELECT COUNT(*) FROM entries").fetchone() == (1,)


@contextlib.contextmanager
def making_of_the_file(path):
    """Another process is making the file, and comes to no end."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with path.with_name(f"{path.name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.mark.parametrize("damaged", [False, True])
def test_a_file_that_another_process_never_finishes_making_or_replacing_is_unavailable(
    make_sqlite, sqlite_path, damaged
):
    cache = make_sqlite(BUSY_TIMEOUT_S=0.05)
    if damaged:
        cache.set("key", 1)
        cache.database.pool.close_idle()
        damage(sqlite_path)
    with making_of_the_file(sqlite_path), pytest.raises(CacheUnavailableError, match="another process"):
        cache.get("key")
    assert cache.get("key") is None


def test_while_one_thread_opens_the_file_the_others_use_what_is_open(make_sqlite):
    cache = make_sqlite()
    opens, over = threading.Event(), threading.Event()
    connect = cache.database.pool._connect

    def connect_slowly():
        opens.set()
        over.wait()
        return connect()

    with ThreadPoolExecutor(2) as threads:
        with cache.database.pool.connection():
            cache.database.pool._connect = connect_slowly
            opening = threads.submit(cache.get, "key")
            opens.wait()
        other = threads.submit(cache.get, "key")
        _, waiting = wait([other], 30)
        over.set()
    assert (opening.result(), other.result(), waiting) == (None, None, set())


def test_a_store_that_is_made_while_a_fork_waits_is_carried_into_no_child(make_sqlite, tmp_path):
    cache = make_sqlite()
    cache.set("key", 1)
    made = []

    def make() -> None:
        other = SQLiteCache(str(tmp_path / "other" / "cache.sqlite3"), {})
        other.set("key", 1)
        made.append(other)

    maker = threading.Thread(target=make)

    def hold() -> None:
        with cache.database.pool.connection():
            holds.set()
            while not cache.database.pool._lock.locked():
                """The fork has not begun to wait."""
            maker.start()
            maker.join(0.3)

    holds = threading.Event()
    holder = threading.Thread(target=hold)
    holder.start()
    holds.wait()
    assert in_child(lambda: sum(len(other.database.pool._idle) for other in made)) == 0
    holder.join()
    maker.join()
    assert made[0].get("key") == 1


def test_a_connection_keeps_few_pages_of_the_file_in_memory(make_sqlite):
    """A process has up to sixteen connections to a file, and SQLite's own limit is 2 MB for each."""
    with make_sqlite().database.pool.connection() as connection:
        assert connection.execute("PRAGMA cache_size").fetchone() == (-256,)
