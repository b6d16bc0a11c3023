"""A shared store of one's own for each test, and a world to refresh in."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
import redis
import responses
from django.test import override_settings

from portal.api.tokens import TokenPair
from portal.api.transport import Transport
from sqlite_cache import close_idle_connections
from tests.portal.api.sessions import make_session, settle
from tests.support.caches import redis_cluster
from tests.support.redis_server import running_redis
from tests.support.refresh_world import RefreshProcess, RefreshWorld

__all__ = ["redis_cluster"]


def sqlite_entry(path: Path) -> dict:
    return {
        "BACKEND": "sqlite_cache.SQLiteCache",
        "LOCATION": str(path),
        "OPTIONS": {"WHEN_FULL": "refuse", "BUSY_TIMEOUT_S": 5},
    }


def redis_entry(url: str) -> dict:
    return {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": url,
        "OPTIONS": {
            "serializer": "sqlite_cache.JSONSerializer",
            "socket_timeout": 1,
            "socket_connect_timeout": 1,
        },
    }


@contextlib.contextmanager
def caches(entry: dict):
    with override_settings(CACHES={"default": entry, "refresh": entry}):
        yield
    close_idle_connections()


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "refresh.sqlite3"


@pytest.fixture
def embedded_store(store_path):
    with caches(sqlite_entry(store_path)):
        yield store_path


@pytest.fixture
def world(embedded_store):
    made = RefreshWorld()
    yield made
    for process in made.processes:
        process.settle()


@pytest.fixture
def pair(world: RefreshWorld) -> TokenPair:
    """The first tokens of a user."""
    return world.backend.sign_in()


@pytest.fixture
def process(world: RefreshWorld) -> RefreshProcess:
    return world.process()


@pytest.fixture
def other(world: RefreshWorld) -> RefreshProcess:
    """Another process."""
    return world.process()


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory):
    with running_redis(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def redis_store(redis_server):
    with contextlib.closing(redis.Redis(port=redis_server.port)) as client:
        client.flushall()
    with caches(redis_entry(redis_server.url())):
        yield redis_server


@pytest.fixture
def cluster_store(redis_cluster):
    for server in redis_cluster.primaries():
        with server.client() as client:
            client.flushall()
    entry = {**redis_entry(redis_cluster.url()), "BACKEND": "portal.store.cluster.ClusterCache"}
    entry["OPTIONS"] = {**entry["OPTIONS"], "WAIT_FOR_REPLICA": True}
    with caches(entry):
        yield redis_cluster


@pytest.fixture
def api(embedded_store):
    made = make_session()
    yield made
    settle(made)
    made.close()


@pytest.fixture
def backend():
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        yield mock


@pytest.fixture
def connect():
    """Makes transports, which are closed at the end."""
    made = []

    def make(base_url: str, *, read_timeout_s: float = 5) -> Transport:
        made.append(Transport(base_url=base_url, connect_timeout_s=1, read_timeout_s=read_timeout_s))
        return made[-1]

    yield make
    for transport in made:
        transport.close()
