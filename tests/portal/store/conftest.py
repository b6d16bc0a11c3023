"""The stores that the portal can run on, each real."""

import pytest

from portal.store import query_store
from tests.support.caches import make_redis, make_sqlite, redis_cluster, redis_url, sqlite_path, stores

__all__ = ["make_redis", "make_sqlite", "redis_cluster", "redis_url", "sqlite_path", "stores"]


@pytest.fixture
def store(stores):
    """The query store, on a file, on a Redis or on a cluster."""
    return query_store()
