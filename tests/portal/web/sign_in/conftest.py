"""The stores that count sign-ins, each real."""

from __future__ import annotations

import pytest

from tests.support.caches import cache, make_redis, make_sqlite, redis_url, sqlite_path
from tests.support.fake_clock import FakeClock

__all__ = ["cache", "make_redis", "make_sqlite", "redis_url", "sqlite_path"]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()
