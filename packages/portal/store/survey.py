"""What a store is, and its keys with their sizes, read in small steps that harm nobody: never for a request."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from django.core.cache.backends.redis import RedisCache

from portal.errors import StoreUnavailableError
from portal.store.inspection import inspect, servers_of
from portal.store.shared_store import query_store, refresh_store
from portal.store.size import STORE_LABEL
from portal.telemetry.metrics import Readings
from sqlite_cache import SQLiteCache

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.core.cache.backends.base import BaseCache

    from portal.store.inspection import StoreServer
    from portal.store.shared_store import SharedStore

#: Keys that one step looks at. A Redis serves others between two steps; KEYS would stop it for all of them at once.
_STEP: Final = 500
#: What a cluster has before a key.
_HASH_TAG: Final = re.compile(r"^\{[0-9a-f]+\}")


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
    prefix = store.backend().make_key("")
    found = KeySurvey()
    try:
        for step in chain.from_iterable(_steps(server, prefix) for server in servers_of(store.backend())):
            for key, size in step:
                found.sizes[_HASH_TAG.sub("", key.removeprefix(prefix))] = size
            if len(found.sizes) >= limit:
                found.complete = False
                break
    except Exception as error:
        # Whatever redis-py and SQLite raise: their messages may name addresses.
        raise StoreUnavailableError(f"store {store.alias!r}: {type(error).__name__}") from error
    return found


def _steps(backend: BaseCache, prefix: str) -> Iterator[list[tuple[str, int]]]:
    if isinstance(backend, RedisCache):
        return _redis_steps(backend, prefix)
    if isinstance(backend, SQLiteCache):
        return _embedded_steps(backend, prefix)
    raise TypeError(type(backend).__name__)


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


def inspect_store(store: SharedStore) -> list[StoreServer]:
    """What each server of the store tells of itself; of a cluster, each primary.

    :raises StoreUnavailableError: it does not; the message says why, without an address.
    """
    try:
        if isinstance(store.backend(), SQLiteCache):
            store.get("start")  # a first read opens the file
        return inspect(store.backend())
    except StoreUnavailableError:
        raise
    except Exception as error:
        from portal.store.redis_faults import explain_fault  # noqa: PLC0415  imports redis

        raise StoreUnavailableError(explain_fault(error).cause) from error


def _told(name: str) -> list[tuple[list[str], float]]:
    """What each store told of this a moment ago; nothing of one that does not answer or does not tell."""
    sizes = [(store.alias, store.size()) for store in (query_store(), refresh_store())]
    return [([alias], value) for alias, size in sizes if (value := getattr(size, name, None)) is not None]


for _name, _says, _of_a_store in (
    ("portal_store_used_bytes", "Bytes in use in the shared store.", "used"),
    ("portal_store_limit_bytes", "Bytes that the shared store may use, if it has a limit.", "limit"),
    ("portal_store_clock_ahead_seconds", "How far Redis's clock is ahead of this machine's.", "clock_ahead_s"),
):
    Readings(_name, _says, labels=[STORE_LABEL], read=partial(_told, _of_a_store))
