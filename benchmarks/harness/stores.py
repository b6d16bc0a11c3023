"""Stores that a machine has, as settings of Django's cache."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings

from benchmarks.harness.options import skip
from portal.config.contract_names import EVERYTHING
from portal.config.portal_config import PortalConfig
from portal.config.projects import GATEWAY
from tests.support.processes import found_tool
from tests.support.redis_cluster import ClusteredRedis, clustered_redis
from tests.support.redis_server import RedisServer, running_redis

_SERIALIZER = {"serializer": "sqlite_cache.JSONSerializer"}


def embedded(folder: Path) -> dict[str, Any]:
    """Return the settings of the embedded store."""
    return {"BACKEND": "sqlite_cache.SQLiteCache", "LOCATION": str(folder / "store" / "queries.sqlite3")}


def on_redis(server: RedisServer) -> dict[str, Any]:
    """Return the settings of a Redis."""
    backend, url = "django.core.cache.backends.redis.RedisCache", f"redis://127.0.0.1:{server.port}/0"
    return {"BACKEND": backend, "LOCATION": url, "OPTIONS": _SERIALIZER}


def on_cluster(cluster: ClusteredRedis) -> dict[str, Any]:
    """Return the settings of a cluster."""
    return {"BACKEND": "portal.store.cluster.ClusterCache", "LOCATION": cluster.url(), "OPTIONS": _SERIALIZER}


@contextlib.contextmanager
def caches(folder: Path) -> Iterator[dict[str, dict[str, Any]]]:
    """Run the stores of this machine while the block lasts: name to its settings."""
    with contextlib.ExitStack() as stack:
        found = {"embedded store": embedded(folder)}
        if "redis" in stores_here(("embedded", "redis")):
            found["Redis"] = on_redis(stack.enter_context(running_redis(folder)))
            found["Redis Cluster"] = on_cluster(stack.enter_context(clustered_redis(folder / "cluster")))
        yield found


def configure(stores: dict[str, dict[str, Any]]) -> None:
    """Configure Django for the query layer alone, on these caches, with a backend that offers everything."""
    config = PortalConfig(project=GATEWAY, origins={}, offers=(EVERYTHING,))
    settings.configure(CACHES=stores, PORTAL=config, USE_TZ=True)


def stores_here(asked: Sequence[str]) -> list[str]:
    """Return those stores of `embedded` and `redis` that this machine has; print a line if one is left out."""
    if "redis" not in asked or found_tool("redis-server"):
        return list(asked)
    why = "Redis: redis-server is not on this machine"
    if "embedded" not in asked:
        skip(why)
    print(f"skipped: {why}")
    return ["embedded"]
