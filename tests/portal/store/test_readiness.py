"""Whether the stores take writes: asked at most once a second, and said with its cause."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
import redis
from django.core.cache import caches
from django.test import Client

from portal.errors import StoreUnavailableError
from portal.store import query_store, refresh_store
from portal.store.readiness import MIN_FREE_BYTES, Readiness
from sqlite_cache import CacheFullError, close_idle_connections
from tests.support.forks import at_once
from tests.support.given_store import stores_on
from tests.support.redis_server import running_redis

if TYPE_CHECKING:
    from collections.abc import Iterator


class CountedStore:
    """Counts the writes, and fails while it has an error."""

    alias = "counted"

    def __init__(self) -> None:
        self.writes = 0
        self.error: StoreUnavailableError | None = None

    def set(self, key: str, value: object, *, lifetime_s: float) -> None:
        self.writes += 1
        if self.error is not None:
            raise self.error

    def everywhere(self, key: str) -> list[str]:
        """It is one server."""
        return [key]

    def check_room(self) -> None:
        """Never full."""

    def backend(self) -> None:
        """No embedded store."""


def test_a_second_has_one_write_whoever_asks() -> None:
    now, store = 100.0, CountedStore()
    readiness = Readiness([store], clock=lambda: now)  # type: ignore[list-item]
    at_once(8, lambda _: readiness.check())
    assert store.writes == 1
    store.error = StoreUnavailableError("full")
    readiness.check()
    now += 1
    for _ in range(3):
        with pytest.raises(StoreUnavailableError, match="full"):
            readiness.check()
    assert store.writes == 2
    store.error = None
    now += 1
    readiness.check()


@pytest.mark.redis
def test_a_redis_that_is_full_or_a_replica_is_not_ready_although_it_can_be_read(tmp_path) -> None:
    with running_redis(tmp_path) as server, redis.Redis(port=server.port) as client:
        with stores_on(server.url()):
            assert Client().get("/readyz").status_code == 200
        for make_unready, make_ready in (
            (lambda: client.config_set("maxmemory", "1kb"), lambda: client.config_set("maxmemory", "0")),
            (lambda: client.replicaof("127.0.0.1", 1), lambda: client.replicaof("NO", "ONE")),
        ):
            make_unready()
            with stores_on(server.url()):
                refresh_store().get("anything")
                response = Client().get("/readyz")
            assert (response.status_code, response["Retry-After"]) == (503, "1")
            assert response.content == b"the store does not answer, or takes no writes\n"
            make_ready()


@pytest.fixture
def full_refresh_store(tmp_path: Path) -> Iterator[list[str]]:
    """An embedded store `refresh` that another process has filled up to its limit; the keys that fill it."""
    with stores_on("", state_dir=tmp_path, store_max_mb=8):
        keys = [f"filling:{number}" for number in range(50)]
        filling = caches.create_connection("refresh")
        for key in keys:
            filling.set(key, "x" * 200_000, 3600)
        yield keys
        close_idle_connections()


@pytest.mark.parametrize("ended", [False, True], ids=["removed", "ended"])
def test_a_refresh_store_at_its_limit_is_not_ready_until_what_fills_it_is_removed_or_ended(
    full_refresh_store: list[str], ended: bool
) -> None:
    readiness = Readiness([refresh_store()])
    for _ in range(2):
        with pytest.raises(StoreUnavailableError, match="has reached its limit") as caught:
            readiness.check()
        assert isinstance(caught.value.__cause__, CacheFullError)
    response = Client().get("/readyz")
    assert (response.status_code, response["Retry-After"]) == (503, "1")
    if ended:
        for key in full_refresh_store:
            refresh_store().set(key, "x" * 200_000, lifetime_s=0)
    else:
        refresh_store().delete_many(full_refresh_store)
    readiness.forget()
    readiness.check()


def test_a_query_store_at_its_limit_is_ready_for_it_evicts(tmp_path) -> None:
    with stores_on("", state_dir=tmp_path, store_max_mb=8):
        for number in range(50):
            query_store().set(f"filling:{number}", "x" * 200_000, lifetime_s=3600)
        size = query_store().size()
        assert size is not None
        assert size.limit is not None
        assert size.used > size.limit
        assert Client().get("/readyz").status_code == 200


def test_a_disk_with_little_room_is_full_although_the_key_can_be_written(tmp_path, monkeypatch) -> None:
    with stores_on("", state_dir=tmp_path, store_max_mb=8):
        room = SimpleNamespace(f_bavail=MIN_FREE_BYTES // 4096 - 1, f_frsize=4096)
        monkeypatch.setattr("portal.store.readiness.os.statvfs", lambda _path: room)
        with pytest.raises(StoreUnavailableError, match="store 'refresh': its disk is full"):
            Readiness([refresh_store()]).check()
        room.f_bavail += 1
        Readiness([refresh_store()]).check()
