"""The system checks: a store that would break the refresh does not start."""

from __future__ import annotations

import pytest
from django.core.checks import registry
from django.test import override_settings

from portal.store.checks import check_redis_policy, check_refresh_store
from tests.redis_server import running_redis

SQLITE = {"BACKEND": "portal.store.sqlite.SqliteCache", "LOCATION": "/nowhere/c.sqlite3"}


def ids(**entry) -> list[str]:
    with override_settings(CACHES={"default": SQLITE, "refresh": entry}):
        return [message.id for message in check_refresh_store()]


def redis_entry(url: str) -> dict:
    return {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": url}


@pytest.mark.parametrize(
    "backend", ["locmem.LocMemCache", "dummy.DummyCache", "filebased.FileBasedCache", "db.DatabaseCache"]
)
def test_a_store_whose_add_several_processes_can_win_is_refused(backend):
    assert ids(BACKEND=f"django.core.cache.backends.{backend}", LOCATION="x") == ["portal.store.E002"]


@pytest.mark.parametrize("backend", ["PyMemcacheCache", "PyLibMCCache"])
def test_a_store_that_evicts_is_refused(backend):
    assert ids(BACKEND=f"django.core.cache.backends.memcached.{backend}") == ["portal.store.E003"]


def test_a_missing_alias_is_refused():
    with override_settings(CACHES={"default": SQLITE}):
        assert [message.id for message in check_refresh_store()] == ["portal.store.E001"]


def test_the_embedded_store_is_fine_when_it_refuses_rather_than_evicts():
    assert ids(**SQLITE, OPTIONS={"WHEN_FULL": "refuse"}) == []
    assert ids(**SQLITE) == ["portal.store.E003"]


def test_a_store_of_which_nothing_is_known_is_a_warning():
    assert ids(BACKEND="somebody.elses.Cache") == ["portal.store.W001"]


def test_the_projects_own_settings_pass():
    assert check_refresh_store() == []
    assert check_refresh_store in registry.registry.registered_checks


@pytest.mark.redis
@pytest.mark.parametrize("policy", ["allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-ttl"])
def test_a_redis_that_evicts_is_refused(policy, tmp_path):
    with running_redis(tmp_path, "--maxmemory", "100mb", "--maxmemory-policy", policy) as server:
        assert ids(**redis_entry(server.url())) == ["portal.store.E003"]


@pytest.mark.redis
def test_a_redis_that_evicts_nothing_is_fine(redis_url):
    assert ids(**redis_entry(redis_url)) == []


@pytest.mark.redis
def test_a_redis_that_does_not_say_is_a_warning(tmp_path):
    with running_redis(tmp_path, "--rename-command", "CONFIG", "") as server:
        assert ids(**redis_entry(server.url())) == ["portal.store.W002"]


def test_a_redis_that_does_not_answer_is_a_warning():
    assert ids(**redis_entry("redis://127.0.0.1:1/0")) == ["portal.store.W002"]


def test_a_policy_is_read_as_text_or_bytes():
    class Client:
        def __init__(self, answer):
            self.answer = answer

        def get_client(self, **_):
            return self

        def config_get(self, name):
            return {name: self.answer}

    class Store:
        def __init__(self, answer):
            self._cache = Client(answer)

        def backend(self):
            return self

    assert check_redis_policy(Store(b"noeviction")) == []
    assert [message.id for message in check_redis_policy(Store("allkeys-lru"))] == ["portal.store.E003"]
