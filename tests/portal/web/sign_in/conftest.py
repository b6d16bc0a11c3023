"""The stores that count sign-ins, each real."""

from tests.support.caches import cache, clock, make_redis, make_sqlite, redis_url, sqlite_path, timed_sqlite

__all__ = ["cache", "clock", "make_redis", "make_sqlite", "redis_url", "sqlite_path", "timed_sqlite"]
