"""The one interface to the cache: typed, in seconds, with one kind of failure."""

import time

import pytest
from django.test import override_settings

from portal.errors import StoreUnavailableError
from portal.store import MISSING, SharedStore, refresh_store
from tests.support.forks import in_child

LOCMEM = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
DEAD_REDIS = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://127.0.0.1:1/0"}


def test_missing_is_not_none_and_each_operation_says_whether_there_was_something(store):
    assert store.get("key") is MISSING
    store.set("key", None, lifetime_s=0.2)  # a fraction of a second is rounded up
    assert store.get("key") is None
    assert store.delete("key") is True
    assert store.delete("key") is False
    assert store.add("key", 1, lifetime_s=60) is True
    assert store.add("key", 2, lifetime_s=60) is False
    assert store.incr("key", 4) == 5
    assert store.incr("missing") is MISSING
    assert store.touch("key", lifetime_s=60) is True
    assert store.touch("missing", lifetime_s=60) is False
    with pytest.raises(TypeError):
        store.set("key", object(), lifetime_s=60)


def test_several_keys_in_one_round_trip(store):
    store.set_many({"a": 1, "b": {"c": [2]}}, lifetime_s=None)
    assert store.get_many(["a", "b", "missing"]) == {"a": 1, "b": {"c": [2]}}
    store.delete_many(["a", "b"])
    assert store.get_many(["a", "b"]) == {}


@pytest.mark.parametrize(
    "operation",
    [
        lambda store: store.get("key"),
        lambda store: store.get_many(["key"]),
        lambda store: store.add("key", 1, lifetime_s=60),
        lambda store: store.set("key", 1, lifetime_s=60),
        lambda store: store.set_many({"key": 1}, lifetime_s=60),
        lambda store: store.delete("key"),
        lambda store: store.delete_many(["key"]),
        lambda store: store.incr("key"),
        lambda store: store.touch("key", lifetime_s=60),
        lambda store: store.update("key", lambda _: 1, lifetime_s=60, since=0),
    ],
    ids=["get", "get_many", "add", "set", "set_many", "delete", "delete_many", "incr", "touch", "update"],
)
@pytest.mark.parametrize("kind", ["redis that refuses", "folder that can't be made", "backend that is not there"])
def test_whatever_the_backend_raises_is_store_unavailable(operation, kind, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    entry = {
        "redis that refuses": DEAD_REDIS,
        "folder that can't be made": {
            "BACKEND": "sqlite_cache.SQLiteCache",
            "LOCATION": str(tmp_path / "file" / "below" / "c.sqlite3"),
        },
        "backend that is not there": {"BACKEND": "no.such.Backend"},
    }[kind]
    with override_settings(CACHES={"default": entry, "refresh": entry}), pytest.raises(StoreUnavailableError) as caught:
        operation(refresh_store())
    if entry is DEAD_REDIS:
        assert str(caught.value) == "store 'refresh': ConnectionError", "no key"


def test_threads_share_one_backend_and_a_child_process_has_its_own():
    with override_settings(CACHES={"default": LOCMEM, "refresh": LOCMEM}):
        store = SharedStore(alias="default")
        ours = store.backend()
        assert store.backend() is ours
        assert not in_child(lambda: store.backend() is ours)


def test_an_update_sees_the_value_of_before_and_may_leave_it(store):
    seen = []

    def change(value):
        seen.append(value)
        return MISSING if value == "kept" else [value is MISSING]

    store.update("key", change, lifetime_s=60, since=0)
    assert store.get("key") == [True]
    store.set("key", "kept", lifetime_s=60)
    store.update("key", change, lifetime_s=60, since=0)
    assert store.get("key") == "kept"
    assert seen[-1] == "kept"


def test_an_update_may_take_what_was_set_before_a_moment_for_missing_and_nothing_later(store):
    def change(value):
        return "ours" if value in {MISSING, "theirs"} else MISSING

    store.set("key", "theirs", lifetime_s=60)
    store.update("key", change, lifetime_s=60, since=time.time() + 1)
    assert store.get("key") == "ours"
    asked = time.time()
    store.set("key", "later", lifetime_s=60)
    store.update("key", change, lifetime_s=60, since=asked)
    assert store.get("key") == "later"


@pytest.mark.parametrize("first", [MISSING, 3, [3]])
def test_an_update_is_made_again_where_another_caller_came_in_between(store, first):
    others = iter([["theirs"], ["theirs too"]])
    seen = []

    def change(value):
        if value is not MISSING:
            seen.append(value)
        if (value is not MISSING or first is MISSING) and (other := next(others, None)) is not None:
            store.set("key", other, lifetime_s=60)
        return [*value, "ours"] if isinstance(value, list) else ["ours"]

    if first is not MISSING:
        store.set("key", first, lifetime_s=60)
    store.update("key", change, lifetime_s=60, since=0)
    assert seen == [*([] if first is MISSING else [first]), ["theirs"], ["theirs too"]]
    assert store.get("key") == ["theirs too", "ours"]
