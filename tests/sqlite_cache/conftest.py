"""The cache under test, and a Redis whose behaviour it has to match."""

from __future__ import annotations

import pytest

from tests.support.caches import cache, make_redis, make_sqlite, redis_url, sqlite_path

__all__ = ["cache", "make_redis", "make_sqlite", "redis_url", "sqlite_path"]


class FakeClock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return FakeClock()
