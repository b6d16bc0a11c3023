"""The stores that the portal can run on, each real."""

from __future__ import annotations

from tests.support.caches import cache, make_redis, make_sqlite, redis_url, sqlite_path

__all__ = ["cache", "make_redis", "make_sqlite", "redis_url", "sqlite_path"]
