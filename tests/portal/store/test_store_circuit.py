"""A store that hangs costs one slow operation a second and process; a busy one costs what it costs."""

import sqlite3
from collections.abc import Iterator

import pytest
from django.core.cache.backends.base import BaseCache
from django.test import Client, override_settings
from redis.exceptions import OutOfMemoryError, ResponseError

from portal.errors import StoreUnavailableError
from portal.process.circuit_breaker import store_circuits
from portal.store import MISSING, query_store, refresh_store
from sqlite_cache import CacheFullError, CacheUnavailableError, close_idle_connections
from tests.support.counts import counted
from tests.support.given_store import StoreOn
from tests.support.http_server import ScriptedServer, scripted_server

TIMEOUT_S = 0.3


def redis_at(url: str) -> dict[str, object]:
    return {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": [url],
        "OPTIONS": {
            "serializer": "sqlite_cache.JSONSerializer",
            "socket_timeout": TIMEOUT_S,
            "socket_connect_timeout": TIMEOUT_S,
        },
    }


@pytest.fixture
def hanging() -> Iterator[ScriptedServer]:
    """Accepts connections and never answers."""
    with scripted_server(lambda *_: None) as server:
        url = f"redis://user:a-password@127.0.0.1:{server.port}"
        with override_settings(CACHES={"default": redis_at(f"{url}/0"), "refresh": redis_at(f"{url}/1")}):
            yield server


def test_one_operation_finds_out_and_the_others_fail_at_once(hanging):
    with pytest.raises(StoreUnavailableError, match="TimeoutError"):
        query_store().get("key")
    asked = hanging.connections
    for store in (query_store(), refresh_store()):
        for operation in (lambda s: s.get("k"), lambda s: s.add("k", 1, lifetime_s=1), lambda s: s.delete_many(["k"])):
            with pytest.raises(StoreUnavailableError, match="does not answer at the moment"):
                operation(store)
    circuit = refresh_store().circuit()
    assert (circuit.name, circuit.is_open) == (f"store redis://127.0.0.1:{hanging.port}", True)
    assert query_store().circuit() is circuit, "both aliases stand on one server"
    for _ in range(2):
        assert Client().get("/readyz").status_code == 503
    assert hanging.connections == asked
    assert Client().get("/healthz").status_code == 200


@pytest.mark.redis
def test_it_closes_when_the_store_answers_again(redis_url, monkeypatch):
    with override_settings(CACHES={"default": redis_at(redis_url), "refresh": redis_at(redis_url)}):
        store = query_store()
        store.set("key", 1, lifetime_s=60)
        circuit = store.circuit()
        circuit.failed(circuit.admit(), slow_s=-1, why="a test")
        with pytest.raises(StoreUnavailableError):
            store.get("key")
        monkeypatch.setattr(circuit, "_clock", lambda: float("inf"))
        assert store.get("key") == 1
        assert not circuit.is_open


def test_other_settings_begin_with_a_closed_circuit_and_embedded_files_have_one_each(hanging, tmp_path):
    with pytest.raises(StoreUnavailableError):
        query_store().get("key")
    files = {alias: str(tmp_path / "s" / f"{alias}.sqlite3") for alias in ("default", "refresh")}
    entries = {alias: {"BACKEND": "sqlite_cache.SQLiteCache", "LOCATION": file} for alias, file in files.items()}
    with override_settings(CACHES=entries):
        assert query_store().get("key") is MISSING
        assert query_store().circuit() is not refresh_store().circuit()
        assert query_store().circuit().name == f"store {files['default']}"


@pytest.mark.parametrize("in_a_list", [False, True])
@pytest.mark.parametrize(
    ("location", "name"),
    [
        ("rediss://user:a-password@cache.example.com:6380/3", "store rediss://cache.example.com:6380"),
        ("unix://user:a-password@/run/redis.sock?db=1", "store unix:///run/redis.sock"),
        ("redis+sentinel://user:a-password@one:26379,two/a/3", "store redis+sentinel://one:26379,two/a"),
        ("rediss+sentinel://one/b?sentinel_password=a-password", "store rediss+sentinel://one/b"),
        ("", "store default"),
    ],
)
def test_a_circuit_is_named_by_its_server(location, name, in_a_list):
    entry = {**redis_at(""), "LOCATION": [location] if in_a_list else location}
    with override_settings(CACHES={"default": entry, "refresh": entry}):
        assert query_store().circuit().name == name


def test_an_embedded_store_that_others_write_to_is_no_dead_one(tmp_path):
    """A write waits in vain for as long as it may, and the next one is tried all the same."""
    file = tmp_path / "s" / "c.sqlite3"
    entry = {"BACKEND": "sqlite_cache.SQLiteCache", "LOCATION": str(file), "OPTIONS": {"BUSY_TIMEOUT_S": 0.2}}
    with override_settings(CACHES={"default": entry, "refresh": entry}):
        store = query_store()
        store.set("key", 1, lifetime_s=60)
        writer = sqlite3.connect(file, isolation_level=None)
        writer.execute("BEGIN IMMEDIATE")
        opened = counted("portal_circuit_opened_total", circuit=store.circuit().name)
        with pytest.raises(StoreUnavailableError, match="CacheBusyError"):
            store.set("key", 2, lifetime_s=60)
        assert store.get("key") == 1
        writer.execute("COMMIT")
        writer.close()
        store.set("key", 2, lifetime_s=60)
        assert counted("portal_circuit_opened_total", circuit=store.circuit().name) == opened
    close_idle_connections()


class Backend(BaseCache):
    """Raises what it is given, after a second by the clock that it is."""

    now = 0.0
    asked = 0

    def __init__(self, error: Exception) -> None:
        super().__init__({})
        self.error = error

    def get(self, key, default=None, version=None):
        self.asked += 1
        self.now += 1.0
        raise self.error


@pytest.fixture
def failing():
    """Makes a store on such a backend, and the backend."""

    def make(error: Exception) -> tuple[StoreOn, Backend]:
        backend = Backend(error)
        store = StoreOn(backend)
        store.circuit()._clock = lambda: backend.now
        return store, backend

    yield make
    store_circuits.clear()


OURS = TypeError("the caller's own: not JSON")


@pytest.mark.parametrize(
    ("error", "opens"),
    [
        (OSError("down"), True),
        (CacheUnavailableError("another process makes the file"), True),
        (CacheFullError("full"), False),
        (OutOfMemoryError("command not allowed when used memory > 'maxmemory'"), False),
        (OURS, False),
    ],
    ids=["out of reach", "being made", "full", "a full Redis", "the caller's own"],
)
def test_what_opens_it_is_silence_alone(failing, error, opens):
    store, backend = failing(error)
    for _ in range(3):
        with pytest.raises(TypeError if error is OURS else StoreUnavailableError):
            store.get("key")
    assert store.circuit().is_open is opens
    assert backend.asked == (1 if opens else 3)


@pytest.mark.parametrize(
    ("error", "closes"),
    [(CacheFullError("full"), True), (ResponseError("no"), True), (OURS, False)],
    ids=["embedded", "Redis", "the caller's own"],
)
def test_a_refusal_is_an_answer_and_closes_it_and_what_is_none_leaves_the_try_to_the_next(failing, error, closes):
    """Else a full store would stay closed to reads for as long as writes are the ones that try."""
    store, backend = failing(error)
    circuit = store.circuit()
    circuit.failed(circuit.admit(), slow_s=0, why="TimeoutError")
    backend.now += 1.0
    for tries in (1, 2):
        with pytest.raises(TypeError if error is OURS else StoreUnavailableError):
            store.get("key")
        assert backend.asked == tries
    assert circuit.is_open is not closes
