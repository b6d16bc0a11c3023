"""Values that no release of ours wrote, where a number should be; and what the log says of them."""

import contextlib
import logging
import sqlite3

import pytest

from portal.config.limits import SIGN_IN_TRIES
from portal.store import MISSING, SharedStore, note_unknown, unknown_values
from portal.web.sign_in.rate_limit import Counted, SignInLimit, TooMany
from sqlite_cache import UNREADABLE, SQLiteCache

ODD = ['"text"', "[1]", "{}", "null", "1.5", "true", "{", ""]


def put_raw(store: SharedStore, key: str, text: str) -> None:
    """Store a text as it is, past the serializer."""
    backend = store.backend()
    store.set(key, 0, lifetime_s=60)
    name = backend.make_key(key)
    if isinstance(backend, SQLiteCache):
        with contextlib.closing(sqlite3.connect(backend.path, isolation_level=None)) as connection:
            connection.execute("UPDATE entries SET value = ? WHERE key = ?", (text, name))
        return
    store._do(lambda server: server._cache.get_client(write=True).set(name, text, keepttl=True), key)


@pytest.mark.parametrize("text", ["{", "", "NaN"])
def test_what_is_no_json_is_neither_missing_nor_an_outage(store, text):
    put_raw(store, "odd", text)
    store.set("sound", 1, lifetime_s=60)
    assert store.get("odd") is UNREADABLE
    assert store.get_many(["odd", "sound", "missing"]) == {"odd": UNREADABLE, "sound": 1}
    assert store.circuit().admit() is not None


@pytest.mark.parametrize("text", ODD)
def test_a_counter_that_is_no_number_was_missing(store, text):
    put_raw(store, "counter", text)
    assert store.incr("counter") is MISSING
    assert store.add("counter", 0, lifetime_s=60) is True
    assert store.incr("counter") == 1


@pytest.mark.parametrize("text", ODD)
def test_tries_to_sign_in_are_counted_anew_then(store, text):
    limit = SignInLimit(store=store, clock=lambda: 0.0)
    for counter in limit.count(account="ada", address="192.0.2.1").counters:
        put_raw(store, counter, text)
    tries = [limit.count(account="ada", address="192.0.2.1") for _ in range(SIGN_IN_TRIES + 1)]
    assert [type(one) for one in tries] == [Counted] * SIGN_IN_TRIES + [TooMany]


def test_the_log_tells_it_once_an_hour_for_each_kind(caplog, monkeypatch):
    times = iter([10.0, 11.0, 12.0, 3611.0])
    monkeypatch.setattr(unknown_values.time, "monotonic", lambda: next(times))
    monkeypatch.setattr(unknown_values, "_next_line", {})
    with caplog.at_level(logging.WARNING):
        for kind in ("a page", "a page", "a record", "a page"):
            note_unknown(kind, counts_as="it is fetched")
    said = [record.getMessage().partition(" can't")[0] for record in caplog.records]
    assert said == ["store: a page", "store: a record", "store: a page"]
