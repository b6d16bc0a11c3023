"""The cache while others read and write: its journal stays small, and what makes room lets them in."""

import pytest

from sqlite_cache.file import journal_bytes, open_database

VALUE = "x" * 8000


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
