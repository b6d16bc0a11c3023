"""What the servers of a store tell of themselves: kind, room, how they evict, role and clock."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.redis import RedisCache

from sqlite_cache import SQLiteCache

#: The only policy that evicts nothing: `volatile-*` may evict each of our records, because all of them expire.
SAFE_POLICY: Final = "noeviction"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreServer:
    """One server of a store. What it does not tell is None.

    :param words: what it is, without an address.
    :param used: bytes in use.
    :param limit: bytes; None for no limit.
    :param policy: `maxmemory-policy`.
    :param identity: `run_id`: two addresses with the same one lead to the same server.
    :param clock_ahead_s: how far its clock is ahead of this machine's; None where it is this machine's.
    """

    words: str = ""
    used: int | None = None
    limit: int | None = None
    policy: str | None = None
    identity: str | None = None
    is_cluster: bool = False
    is_replica: bool = False
    is_sentinel: bool = False
    clock_ahead_s: float | None = None

    @property
    def share(self) -> float:
        """The used share of the limit, 0 to 1; 0 where one of them is not known."""
        return (self.used or 0) / self.limit if self.limit else 0.0

    @property
    def evicts(self) -> bool:
        """Whether it drops entries to make room."""
        return self.policy not in {None, SAFE_POLICY}


def inspect(backend: BaseCache) -> list[StoreServer]:
    """Ask the servers of a store: the one, or each primary of a cluster.

    :raises TypeError: the address has an option that redis-py does not know.
    :raises Exception: any error of redis-py: a server is out of reach, or forbids INFO.
    """
    return [_inspect_one(server) for server in servers_of(backend)]


def servers_of(backend: BaseCache) -> Sequence[BaseCache]:
    """The cache itself, or those of a cluster's primaries."""
    primaries = getattr(backend, "primaries", None)
    return [backend] if primaries is None else primaries()


def fullest(servers: Sequence[StoreServer]) -> StoreServer:
    """The one with the least room: a cluster is full when one of its primaries is."""
    return max(servers, key=lambda server: (server.share, server.used or 0))


def _inspect_one(backend: BaseCache) -> StoreServer:
    if isinstance(backend, SQLiteCache):
        return StoreServer(
            words=f"embedded store of this machine, {backend.path}",
            used=backend.size_in_bytes(),
            limit=backend.size_limit.max_bytes,
            policy="the oldest third" if backend.size_limit.evicts else SAFE_POLICY,
        )
    if not isinstance(backend, RedisCache):
        return StoreServer(words=type(backend).__name__)
    client = backend._cache.get_client(write=True)  # noqa: SLF001  Django offers no public way to its Redis client
    info: Mapping[str, Any] = client.info()
    policy, micros = info.get("maxmemory_policy"), info.get("server_time_usec")
    version = f"Redis {info.get('redis_version') or 'of unknown version'}"
    if "valkey_version" in info:
        version = f"Valkey {info['valkey_version']}"
    return StoreServer(
        words=f"{version}, maxmemory-policy {policy or 'unknown'}",
        used=info.get("used_memory"),
        limit=info.get("maxmemory") or None,
        policy=policy,
        identity=info.get("run_id"),
        is_cluster=info.get("cluster_enabled") == 1,
        is_replica=info.get("role") == "slave",
        # Valkey has another name for it.
        is_sentinel="sentinel" in {info.get("redis_mode"), info.get("server_mode")},
        clock_ahead_s=None if micros is None else micros / 1_000_000 - time.time(),
    )
