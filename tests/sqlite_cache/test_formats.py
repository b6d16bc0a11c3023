"""What another release, or damage, may have left in the file: values that are no JSON, and files of another format."""

import contextlib
import sqlite3

import pytest

from sqlite_cache import UNREADABLE, CacheUnavailableError, close_idle_connections
from sqlite_cache.file import FILE_FORMAT

NO_JSON = [
    *("", "{", "[1] 2", '{"a": [1, 2', "pickled", "NaN", "-Infinity", "[" * 100_000, '"\\ud8'),
    *(b"\xff\xfe", b"\x80\x04\x95", 1.5),
]


@pytest.fixture
def in_file(sqlite_path):
    """Runs a statement on the file, past the cache."""

    def run(statement: str, *values: object) -> list[tuple]:
        with contextlib.closing(sqlite3.connect(sqlite_path, isolation_level=None)) as connection:
            return connection.execute(statement, values).fetchall()

    return run


@pytest.mark.parametrize("value", NO_JSON, ids=repr)
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("redis", marks=pytest.mark.redis)])
def test_a_value_that_is_no_json_is_unreadable_and_hides_no_other(request, in_file, value, kind):
    cache = request.getfixturevalue(f"make_{kind}")()
    cache.set_many({"odd": 1, "sound": [1]})
    if kind == "sqlite":
        in_file("UPDATE entries SET value = ? WHERE key LIKE '%odd'", value)
    else:
        cache._cache.get_client(write=True).set(cache.make_key("odd"), "1.5e" if value == 1.5 else value)
    assert cache.get("odd") is UNREADABLE
    assert cache.get_many(["odd", "sound"]) == {"odd": UNREADABLE, "sound": [1]}
    assert cache.get_many([*map(str, range(20)), "odd", "sound"]) == {"odd": UNREADABLE, "sound": [1]}
    assert cache.add("odd", 2) is False
    cache.set("odd", {"a": None})
    assert cache.get("odd") == {"a": None}


def test_a_file_has_the_number_of_its_format_and_one_of_before_there_was_a_number_is_used_as_it_is(
    make_sqlite, in_file
):
    make_sqlite().set("key", 1)
    assert in_file("PRAGMA user_version") == [(FILE_FORMAT,)]
    close_idle_connections()
    in_file("PRAGMA user_version = 0")
    assert make_sqlite().get("key") == 1


def test_a_column_that_a_later_release_added_is_left_alone(make_sqlite, in_file):
    cache = make_sqlite()
    cache.set("key", 1)
    in_file("ALTER TABLE entries ADD COLUMN owner TEXT DEFAULT 'nobody'")
    cache.set_many({"key": 2, "other": 3})
    assert (cache.get("key"), cache.add("other", 4), cache.incr("other"), cache.delete("key")) == (2, False, 4, True)
    assert in_file("SELECT owner FROM entries") == [("nobody",)]


def test_a_file_of_an_unknown_format_is_refused_and_not_touched(make_sqlite, in_file, sqlite_path):
    make_sqlite().set("key", 1)
    close_idle_connections()
    in_file("PRAGMA user_version = 7")
    in_file("ALTER TABLE entries RENAME TO records")
    target, before = sqlite_path.resolve(), in_file("SELECT key, value FROM records")
    for name, values in (("get", ()), ("set", (2,)), ("add", (1,))):
        with pytest.raises(CacheUnavailableError, match="format 7"):
            getattr(make_sqlite(), name)("key", *values)
    assert (sqlite_path.resolve(), in_file("SELECT key, value FROM records")) == (target, before)
