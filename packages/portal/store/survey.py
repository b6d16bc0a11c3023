"""What a store is, and its keys with their sizes, read in small steps that harm nobody: never for a request."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from django.core.cache.backends.redis import RedisCache

from portal.errors import StoreUnavailableError
from portal.store.size import read_info, read_size
from sqlite_cache import SQLiteCache

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.store.shared_store import SharedStore

#: Keys that one step looks at. A Redis serves others between two steps; KEYS would stop it for all of them at once.
_STEP: Final = 500


@dataclass(slots=True, kw_only=True)
class KeySurvey:
    """What a survey found.

    :ivar sizes: key, without the store's prefix, to the bytes of its value.
    :ivar complete: whether all keys were seen; else the limit was reached first.
    """

    sizes: dict[str, int] = field(default_factory=dict)
    complete: bool = True


def survey_keys(store: SharedStore, *, limit: int) -> KeySurvey:
    """The keys of a store that have not expired, in no order.

    :param limit: the number of keys after which it stops.
    :raises StoreUnavailableError: the store does not answer, or can't tell its keys.
    """
    backend = store.backend()
    prefix = backend.make_key("")
    found = KeySurvey()
    if isinstance(backend, RedisCache):
        steps = _redis_steps(backend, prefix)
    elif isinstance(backend, SQLiteCache):
        steps = _embedded_steps(backend, prefix)
    else:
        raise StoreUnavailableError(f"store {store.alias!r}: {type(backend).__name__} can't tell its keys")
    try:
        for step in steps:
            for key, size in step:
                found.sizes[key.removeprefix(prefix)] = size
            if len(found.sizes) >= limit:
                found.complete = False
                break
    except Exception as error:
        # Whatever redis-py and SQLite raise: their messages may name addresses.
        raise StoreUnavailableError(f"store {store.alias!r}: {type(error).__name__}") from error
    return found


def _redis_steps(backend: RedisCache, prefix: str) -> Iterator[list[tuple[str, int]]]:
    client = backend._cache.get_client(write=True)  # noqa: SLF001  Django offers no public way to its Redis client
    cursor = 0
    pattern = "".join(f"\\{sign}" if sign in "*?[]\\" else sign for sign in prefix) + "*"
    while True:
        cursor, keys = client.scan(cursor=cursor, match=pattern, count=_STEP)
        lengths = client.pipeline(transaction=False)
        for key in keys:
            lengths.strlen(key)
        yield [
            (str(key, "utf-8") if isinstance(key, bytes) else key, size)
            for key, size in zip(keys, lengths.execute(), strict=True)
            if size
        ]
        if not cursor:
            return


def _embedded_steps(backend: SQLiteCache, prefix: str) -> Iterator[list[tuple[str, int]]]:
    last = 0
    while True:
        rows, _ = backend.database.run(
            "SELECT id, key, length(value) FROM entries"
            " WHERE id > ? AND (expires IS NULL OR expires > ?) ORDER BY id LIMIT ?",
            (last, backend.clock(), _STEP),
        )
        if not rows:
            return
        last = rows[-1][0]
        yield [(key, size) for _, key, size in rows if key.startswith(prefix)]


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
