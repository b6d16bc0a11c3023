"""Fixtures: real cache backends and stores, on SQLite files, a Redis and a cluster. A `conftest.py` imports those it needs."""

from pathlib import Path

import pytest
import redis
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.redis import RedisCache

from portal.store.cluster import ClusterCache
from sqlite_cache import SQLiteCache, close_idle_connections
from tests.support.fake_clock import FakeClock
from tests.support.given_store import stores_on
from tests.support.redis_cluster import clustered_redis
from tests.support.redis_server import running_redis


def close_connections(cache: BaseCache | None) -> None:
    """Close the connections to a Redis that nobody uses now."""
    if isinstance(cache, ClusterCache):
        for of_node in cache._caches.values():
            of_node._cache._node.connection_pool.disconnect(inuse_connections=False)
    elif isinstance(cache, RedisCache):
        for pool in cache._cache._pools.values():
            pool.disconnect(inuse_connections=False)


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory):
    with running_redis(tmp_path_factory.mktemp("redis")) as server:
        yield server.url()


@pytest.fixture(scope="session")
def redis_cluster(tmp_path_factory):
    with clustered_redis(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture(params=["embedded", *(pytest.param(kind, marks=pytest.mark.redis) for kind in ("redis", "cluster"))])
def stores(request, tmp_path):
    """Both stores, empty, by the project's settings: embedded, on a Redis, on a cluster."""
    url = ""
    if request.param == "redis":
        url = request.getfixturevalue("redis_url")
        with redis.Redis.from_url(url) as client:
            client.flushall()
    elif request.param == "cluster":
        cluster = request.getfixturevalue("redis_cluster")
        url = cluster.url()
        for server in cluster.primaries():
            with server.client() as client:
                client.flushall()
    with stores_on(url, state_dir=tmp_path):
        yield
    close_idle_connections()


@pytest.fixture
def sqlite_path(tmp_path: Path):
    yield tmp_path / "store" / "cache.sqlite3"
    close_idle_connections()


@pytest.fixture
def make_sqlite(sqlite_path):
    def make(**options) -> SQLiteCache:
        return SQLiteCache(str(sqlite_path), {"OPTIONS": options})

    return make


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def timed_sqlite(make_sqlite, clock: FakeClock) -> SQLiteCache:
    """A cache on the file, whose time is the clock's."""
    made = make_sqlite()
    made.clock = clock
    return made


@pytest.fixture
def make_redis(redis_url):
    made = []

    def make() -> RedisCache:
        options = {"serializer": "sqlite_cache.JSONSerializer"}
        made.append(RedisCache(redis_url, {"OPTIONS": options, "KEY_PREFIX": "t"}))
        return made[-1]

    yield make
    for cache in made:
        cache.clear()
        close_connections(cache)


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=pytest.mark.redis)])
def cache(request):
    return request.getfixturevalue(f"make_{request.param}")()
