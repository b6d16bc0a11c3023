"""Changes of one value that depend on the value of before, in each kind of store."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.redis import RedisCache

from sqlite_cache import SQLiteCache

if TYPE_CHECKING:
    from redis.client import Pipeline


class Missing(Enum):
    """The result for a key without a value; None is a value."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING


def update_value(backend: BaseCache, *, key: str, change: Callable[[Any], Any], lifetime_s: int, since: float) -> None:
    """Set `key` to what `change` makes of its value, or leave it where that is `MISSING`.

    A value that is new takes one statement, or one round trip; on SQLite, one that replaces one of before `since` too.

    A store of one process, in memory, has no such operation: there another thread may come in between.
    """
    if isinstance(backend, SQLiteCache):
        backend.update(key, change, lifetime_s, missing=MISSING, since=since)
    elif isinstance(backend, RedisCache):
        _update_in_redis(backend, backend.make_and_validate_key(key), change, lifetime_s)
    else:
        value = change(backend.get(key, MISSING))
        if value is not MISSING:
            backend.set(key, value, lifetime_s)


def _update_in_redis(backend: RedisCache, name: str, change: Callable[[Any], Any], lifetime_s: int) -> None:
    """By WATCH, MULTI and EXEC: a script would need a permission more."""
    cache: Any = backend
    redis = cache._cache  # noqa: SLF001  Django has no other way
    client, serializer = redis.get_client(name, write=True), redis._serializer  # noqa: SLF001  as above
    value = change(MISSING)
    if value is not MISSING and redis.add(name, value, lifetime_s):
        return

    def transaction(pipe: Pipeline) -> str | None:
        stored: Any = pipe.get(name)
        value = change(MISSING if stored is None else serializer.loads(stored))
        text: str | None = None if value is MISSING else serializer.dumps(value)
        pipe.multi()
        if text is not None:
            pipe.set(name, text, ex=lifetime_s)
        return text

    written = client.transaction(transaction, name, value_from_callable=True)
    # Django's own client waits for no replica.
    if written is not None and (confirm := getattr(redis, "confirm", None)):
        confirm(name, written, lifetime_s)
