"""The cache under test, and a Redis whose behaviour it has to match."""

from __future__ import annotations

import pytest

from tests.support.caches import cache, make_redis, make_sqlite, redis_url, sqlite_path
from tests.support.fake_clock import FakeClock

__all__ = ["cache", "make_redis", "make_sqlite", "redis_url", "sqlite_path"]


@pytest.fixture
def clock():
    return FakeClock()
