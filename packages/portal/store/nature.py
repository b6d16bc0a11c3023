"""What a store is, for `doctor`: the kind and version of its server, its room, its clock."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.core.cache.backends.redis import RedisCache

from portal.errors import StoreUnavailableError
from portal.store.redis_info import read_info
from portal.store.size import read_size
from sqlite_cache import SQLiteCache

if TYPE_CHECKING:
    from portal.store.shared_store import SharedStore


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreNature:
    """One store.

    :param words: what it is, without an address.
    :param used: bytes in use; None where it does not tell.
    :param limit: bytes; None for no limit.
    :param evicts: whether it drops entries to make room.
    :param clock_ahead_s: how far its server's clock is ahead of this one; None where it is this machine's.
    """

    words: str
    used: int | None
    limit: int | None
    evicts: bool
    clock_ahead_s: float | None


def read_nature(store: SharedStore) -> StoreNature:
    """Ask the store what it is.

    :raises StoreUnavailableError: it does not answer; the message says why, without an address.
    """
    backend = store.backend()
    if isinstance(backend, RedisCache):
        return _redis_nature(backend)
    # A first read opens the file.
    store.get("start")
    size = read_size(backend)
    evicts = isinstance(backend, SQLiteCache) and backend.size_limit.evicts
    file = f", {backend.path}" if isinstance(backend, SQLiteCache) else ""
    return StoreNature(
        words=f"embedded store of this machine{file}" if file else type(backend).__name__,
        used=size.used if size else None,
        limit=size.limit if size else None,
        evicts=evicts,
        clock_ahead_s=None,
    )


def _redis_nature(backend: RedisCache) -> StoreNature:
    from portal.store.redis_faults import explain_fault  # noqa: PLC0415  imports redis

    try:
        info = read_info(backend)
        seconds, micros = backend._cache.get_client(write=True).time()  # noqa: SLF001  as in redis_info
    except Exception as error:
        raise StoreUnavailableError(explain_fault(error).cause) from error
    policy = info.policy or "unknown"
    return StoreNature(
        words=f"Redis {info.version or 'of unknown version'}, maxmemory-policy {policy}",
        used=info.used,
        limit=info.limit or None,
        evicts=policy not in {"noeviction", "unknown"},
        clock_ahead_s=seconds + micros / 1_000_000 - time.time(),
    )
