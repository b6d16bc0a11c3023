"""Django's documented cache behaviours, for this cache and for Redis with JSON values."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.forks import fork, in_processes

ROUNDS = 300
PROCESSES = 4


def test_a_missing_key_gives_none_or_the_default_and_none_is_a_value(cache):
    assert (cache.get("key"), cache.get("key", "default")) == (None, "default")
    assert not cache.has_key("key")
    assert "key" not in cache
    cache.set("key", None)
    assert cache.get("key", "default") is None
    assert cache.has_key("key")
    assert "key" in cache
    assert cache.get_many(["key"]) == {"key": None}


def test_keys_may_have_any_character(cache):
    for key in ("with:colons", "ünïcödé", "';DROP-TABLE-entries;--", "%s?*"):
        cache.set(key, key)
        assert cache.get(key) == key


@pytest.mark.parametrize("count", [0, 1, 16, 17, 300])
def test_get_many_takes_few_keys_and_many_and_leaves_out_what_is_missing(cache, count):
    names = [f"key{number}" for number in range(count)]
    assert cache.get_many(names) == {}
    assert cache.set_many({name: [name] for name in names[::2]}) == []
    assert cache.get_many(iter(names)) == {name: [name] for name in names[::2]}
    cache.delete_many(names[::4])
    assert cache.get_many(names) == {name: [name] for name in names[2::4]}
    cache.clear()
    assert cache.get_many(names) == {}


def test_incr_and_decr(cache):
    cache.set("answer", 41)
    assert cache.incr("answer") == 42
    assert cache.incr("answer", 10) == 52
    assert cache.decr("answer", 2) == 50
    assert cache.incr("answer", -60) == -10
    assert cache.get("answer") == -10
    cache.set("gone", 1, timeout=0)
    for key in ("gone", "missing"):
        for change in (cache.incr, cache.decr):
            with pytest.raises(ValueError, match="not found"):
                change(key)


def test_counts_from_coroutines_are_not_lost(make_sqlite):
    cache = make_sqlite()
    cache.set("count", 0, None)

    async def count() -> None:
        await asyncio.gather(*(cache.aincr("count") for _ in range(40)))

    # In a thread of its own: a browser's test before this one leaves an event loop running in this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(count())).result()
        assert cache.get("count") == 40
        assert thread.submit(lambda: asyncio.run(cache.adecr("count"))).result() == 39


@pytest.mark.parametrize(
    "value",
    [
        *("text", "", 7, 2**62, -(2**63), 10**30, 1.5, True, False, [1, "two", None]),
        {"a": {"b": [1, 2, {"c": "d"}]}},
        *("ünïcödé – 漢字 🎉", "lone \ud800 surrogate", "x" * 1_000_000),
    ],
    ids=repr,
)
def test_json_values_come_back_as_they_were(cache, value):
    cache.set("key", value)
    found = cache.get("key")
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "value", [b"bytes", {1, 2}, object(), float("nan"), lambda: None], ids=lambda value: type(value).__name__
)
def test_what_json_has_no_form_for_is_refused_and_leaves_nothing_behind(cache, value):
    with pytest.raises((TypeError, ValueError)):
        cache.set("key", value)
    with pytest.raises((TypeError, ValueError)):
        cache.set_many({"key": 1, "other": value})
    assert cache.get("key") is None


@pytest.mark.parametrize(("timeout", "lasts"), [(0, False), (-100, False), (None, True), (60 * 60 * 24 * 30 + 1, True)])
def test_timeouts_end_at_once_or_never_or_after_long(cache, timeout, lasts):
    cache.set("a", 1, timeout=timeout)
    assert cache.add("b", 1, timeout=timeout) is True
    cache.set("c", 1, timeout=1 if lasts else None)
    assert cache.touch("c", timeout=timeout) is True
    cache.set_many({"d": 1}, timeout=timeout)
    assert cache.get_many("abcd") == (dict.fromkeys("abcd", 1) if lasts else {})


def test_of_all_processes_that_add_at_once_exactly_one_wins(make_sqlite):
    make_sqlite().set("sum", 0, None)
    wins = fork.Value("i", 0)

    def race() -> None:
        cache = make_sqlite()
        for number in range(ROUNDS):
            won = cache.add(f"lock-{number}", 1, 60)
            with wins.get_lock():
                wins.value += won
            cache.incr("sum")

    in_processes(PROCESSES, race)
    assert wins.value == ROUNDS
    assert make_sqlite().get("sum") == PROCESSES * ROUNDS
