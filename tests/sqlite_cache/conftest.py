"""The cache under test, and a Redis whose behaviour it has to match."""

from __future__ import annotations

from tests.support.caches import cache, make_redis, make_sqlite, redis_url, sqlite_path

__all__ = ["cache", "make_redis", "make_sqlite", "redis_url", "sqlite_path"]
