"""The stores that the portal can run on, each real."""

from __future__ import annotations

import pytest
from django.test import override_settings

from portal.store import query_store
from tests.support.caches import make_redis, make_sqlite, redis_cluster, redis_url, sqlite_path

__all__ = ["make_redis", "make_sqlite", "redis_cluster", "redis_url", "sqlite_path"]


@pytest.fixture(params=["sqlite", *(pytest.param(kind, marks=pytest.mark.redis) for kind in ("redis", "cluster"))])
def store(request, tmp_path):
    """The query store, on a file, on a Redis or on a cluster."""
    if request.param == "sqlite":
        entry = {"BACKEND": "sqlite_cache.SQLiteCache", "LOCATION": str(tmp_path / "s" / "c.sqlite3")}
    else:
        of_cluster = request.param == "cluster"
        entry = {
            "BACKEND": "portal.store.cluster.ClusterCache"
            if of_cluster
            else "django.core.cache.backends.redis.RedisCache",
            "LOCATION": request.getfixturevalue("redis_cluster").url()
            if of_cluster
            else request.getfixturevalue("redis_url"),
            "OPTIONS": {"serializer": "sqlite_cache.JSONSerializer"},
            "KEY_PREFIX": str(tmp_path),
        }
    with override_settings(CACHES={"default": entry, "refresh": entry}):
        yield query_store()
