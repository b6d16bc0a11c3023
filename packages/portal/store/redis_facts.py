"""What a Redis says of itself, by its INFO: how it evicts, how full it is, what part it plays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.core.cache.backends.redis import RedisCache

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.core.cache.backends.base import BaseCache


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisFacts:
    """See the module. What a server does not tell is None.

    :param limit: `maxmemory` in bytes; 0 for none.
    :param policy: `maxmemory-policy`.
    :param identity: of this run of the server: the same for two addresses of one server.
    """

    used: int | None
    limit: int | None
    policy: str | None
    identity: str | None
    is_cluster: bool
    is_replica: bool


def is_redis(backend: BaseCache) -> bool:
    """Whether the store is a Redis."""
    return isinstance(backend, RedisCache)


def read_facts(backend: BaseCache) -> RedisFacts:
    """Ask the server.

    :param backend: one that :func:`is_redis` knows.
    :raises TypeError: its address has an option that redis-py does not know.
    :raises Exception: whatever redis-py raises when the server is out of reach, or forbids INFO.
    """
    client = backend._cache.get_client(write=True)  # type: ignore[attr-defined]  # noqa: SLF001  Django offers no public way to its Redis client
    info: Mapping[str, Any] = client.info()
    return RedisFacts(
        used=_number(info.get("used_memory")),
        limit=_number(info.get("maxmemory")),
        policy=_text(info.get("maxmemory_policy")),
        identity=_text(info.get("run_id")),
        is_cluster=info.get("cluster_enabled") == 1,
        is_replica=info.get("role") == "slave",
    )


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
