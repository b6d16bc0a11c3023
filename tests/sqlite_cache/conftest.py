"""The cache under test, and a Redis whose behaviour it has to match."""

from tests.support.caches import cache, clock, make_redis, make_sqlite, redis_url, sqlite_path, timed_sqlite

__all__ = ["cache", "clock", "make_redis", "make_sqlite", "redis_url", "sqlite_path", "timed_sqlite"]
