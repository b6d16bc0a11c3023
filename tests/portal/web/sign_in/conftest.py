"""The stores that count sign-ins, each real."""

from __future__ import annotations

from tests.support.caches import cache, make_redis, make_sqlite, redis_url, sqlite_path

__all__ = ["cache", "make_redis", "make_sqlite", "redis_url", "sqlite_path"]
