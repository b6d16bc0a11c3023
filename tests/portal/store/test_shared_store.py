"""The one interface to the cache: typed, in seconds, with one kind of failure."""

from __future__ import annotations

import multiprocessing

import pytest
from django.test import override_settings

from portal.errors import StoreUnavailableError
from portal.store import MISSING, SharedStore, query_store, refresh_store

LOCMEM = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
SERIALIZER = {"serializer": "sqlite_cache.JSONSerializer"}
DEAD_REDIS = {
    "BACKEND": "django.core.cache.backends.redis.RedisCache",
    "LOCATION": "redis://127.0.0.1:1/0",
    "OPTIONS": SERIALIZER,
}


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=pytest.mark.redis)])
def store(request, tmp_path):
    if request.param == "sqlite":
        entry = {"BACKEND": "sqlite_cache.SQLiteCache", "LOCATION": str(tmp_path / "s" / "c.sqlite3")}
    else:
        url = request.getfixturevalue("redis_url")
        entry = {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": url,
            "OPTIONS": SERIALIZER,
            "KEY_PREFIX": str(tmp_path),
        }
    with override_settings(CACHES={"default": entry, "refresh": entry}):
        yield query_store()


def test_missing_is_not_none(store):
    assert store.get("key") is MISSING
    store.set("key", None, lifetime_s=60)
    assert store.get("key") is None


def test_several_keys_in_one_round_trip(store):
    store.set_many({"a": 1, "b": {"c": [2]}}, lifetime_s=None)
    assert store.get_many(["a", "b", "missing"]) == {"a": 1, "b": {"c": [2]}}
    store.delete_many(["a", "b"])
    assert store.get_many(["a", "b"]) == {}


def test_add_incr_touch_and_delete(store):
    assert store.add("key", 1, lifetime_s=60) is True
    assert store.add("key", 2, lifetime_s=60) is False
    assert store.incr("key", 4) == 5
    assert store.incr("missing") is MISSING
    assert store.touch("key", lifetime_s=60) is True
    assert store.touch("missing", lifetime_s=60) is False
    assert store.delete("key") is True
    assert store.delete("key") is False


def test_a_fraction_of_a_second_is_rounded_up(store):
    store.set("key", 1, lifetime_s=0.2)
    assert store.get("key") == 1


def test_what_json_has_no_form_for_is_the_callers_error(store):
    with pytest.raises(TypeError):
        store.set("key", object(), lifetime_s=60)


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
    ],
    ids=["get", "get_many", "add", "set", "set_many", "delete", "delete_many", "incr", "touch"],
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
    with override_settings(CACHES={"default": entry, "refresh": entry}), pytest.raises(StoreUnavailableError):
        operation(refresh_store())


def test_the_message_names_the_store_and_no_key():
    caches = {"default": DEAD_REDIS, "refresh": DEAD_REDIS}
    with override_settings(CACHES=caches), pytest.raises(StoreUnavailableError) as caught:
        refresh_store().get("a-key-of-someone")
    assert str(caught.value) == "store 'refresh': ConnectionError"


def test_threads_share_one_backend_and_a_child_process_has_its_own():
    with override_settings(CACHES={"default": LOCMEM, "refresh": LOCMEM}):
        store = SharedStore(alias="default")
        ours = store.backend()
        assert store.backend() is ours
        context = multiprocessing.get_context("fork")
        answers = context.Queue()
        process = context.Process(target=lambda: answers.put(store.backend() is ours))
        process.start()
        assert answers.get(timeout=30) is False
        process.join(30)
