"""The stores that the portal can run on, each real."""

from __future__ import annotations

import pytest
from django.test import override_settings

from portal.store import query_store
from tests.support.caches import make_redis, make_sqlite, redis_url, sqlite_path

__all__ = ["make_redis", "make_sqlite", "redis_url", "sqlite_path"]


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=pytest.mark.redis)])
def store(request, tmp_path):
    """The query store, on a file or on a Redis."""
    if request.param == "sqlite":
        entry = {"BACKEND": "sqlite_cache.SQLiteCache", "LOCATION": str(tmp_path / "s" / "c.sqlite3")}
    else:
        entry = {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": request.getfixturevalue("redis_url"),
            "OPTIONS": {"serializer": "sqlite_cache.JSONSerializer"},
            "KEY_PREFIX": str(tmp_path),
        }
    with override_settings(CACHES={"default": entry, "refresh": entry}):
        yield query_store()
