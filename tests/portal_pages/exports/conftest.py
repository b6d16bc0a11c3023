"""The stores that leases of files lie in, each real."""

from tests.support.caches import make_redis, make_sqlite, redis_url, sqlite_path

__all__ = ["make_redis", "make_sqlite", "redis_url", "sqlite_path"]
