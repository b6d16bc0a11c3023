"""The stores that a machine has, as settings of Django's cache."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING, Any

from tests.support.redis_server import RedisServer, running_redis

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def embedded(folder: Path) -> dict[str, Any]:
    """The embedded store's settings."""
    return {
        "BACKEND": "sqlite_cache.SQLiteCache",
        "LOCATION": str(folder / "store" / "queries.sqlite3"),
    }


def on_redis(server: RedisServer) -> dict[str, Any]:
    """Redis's settings."""
    return {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": f"redis://127.0.0.1:{server.port}/0",
        "OPTIONS": {"serializer": "sqlite_cache.JSONSerializer"},
    }


@contextlib.contextmanager
def caches(folder: Path) -> Iterator[dict[str, dict[str, Any]]]:
    """The stores of this machine, by name."""
    with contextlib.ExitStack() as stack:
        found = {"embedded store": embedded(folder)}
        if shutil.which("redis-server"):
            found["Redis"] = on_redis(stack.enter_context(running_redis(folder)))
        yield found
