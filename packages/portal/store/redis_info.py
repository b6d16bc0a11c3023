"""What a Redis server tells about itself in INFO: its eviction policy, its memory, its role."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.core.cache.backends.redis import RedisCache


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisInfo:
    """The fields of INFO that matter here. A field that the server does not tell is None.

    :param used: memory in use, bytes.
    :param limit: `maxmemory`, bytes; 0 for none.
    :param policy: `maxmemory-policy`.
    :param identity: `run_id`: two addresses with the same one lead to the same server.
    :param version: of the server.
    """

    used: int | None
    limit: int | None
    policy: str | None
    identity: str | None
    is_cluster: bool
    is_replica: bool
    is_sentinel: bool
    version: str | None


def read_info(backend: RedisCache) -> RedisInfo:
    """Ask the server.

    :raises TypeError: the address has an option that redis-py does not know.
    :raises Exception: any error of redis-py: the server is out of reach, or forbids INFO.
    """
    client = backend._cache.get_client(write=True)  # noqa: SLF001  Django offers no public way to its Redis client
    info: Mapping[str, Any] = client.info()
    return RedisInfo(
        used=info.get("used_memory"),
        limit=info.get("maxmemory"),
        policy=info.get("maxmemory_policy"),
        identity=info.get("run_id"),
        is_cluster=info.get("cluster_enabled") == 1,
        is_replica=info.get("role") == "slave",
        is_sentinel=info.get("redis_mode") == "sentinel",
        version=info.get("redis_version"),
    )
