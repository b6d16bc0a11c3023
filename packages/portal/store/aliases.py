"""The one door to the cache that processes share: two stores, typed, with one kind of failure.

`query_store()` keeps cached queries and may lose any of them at any time. `refresh_store()` keeps what a token
refresh shares (locks, hand-over records, verdicts, tombstones); nothing in it is ever evicted, and
nobody calls `clear()` on it: on Redis that empties the whole database.
"""

from __future__ import annotations

import logging
import math
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, TypeVar

from django.conf import settings
from django.core.cache import caches
from django.core.signals import setting_changed
from redis.exceptions import ResponseError

from fork_safety import ForkSafeLock, reset_after_fork
from portal.config.limits import STORE_SLOW_S
from portal.config.store_urls import is_sentinel_url
from portal.errors import StoreUnavailableError
from portal.process.circuit_breaker import store_circuits
from portal.store.size import SizeWatch, read_size
from sqlite_cache import CacheBusyError, CacheFullError, SQLiteCacheError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from django.core.cache.backends.base import BaseCache

    from portal.process.circuit_breaker import CircuitBreaker
    from portal.store.size import StoreSize

T = TypeVar("T")

logger = logging.getLogger(__name__)

QUERY_ALIAS: Final = "default"
REFRESH_ALIAS: Final = "refresh"


class Missing(Enum):
    """The answer for a key that has no value; None is a value."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING


class SharedStore:
    """One alias of Django's `CACHES`, in JSON values and seconds. Safe for threads and after a fork.

    Lifetimes are rounded up to whole seconds, the grain that every backend has. Each method raises
    :class:`~portal.errors.StoreUnavailableError` when the backend fails, for whatever reason; only a value that
    JSON has no form for is a `TypeError`. While the circuit of its address is open, it fails at once.
    """

    def __init__(self, *, alias: str) -> None:
        self.alias = alias
        self._backend: BaseCache | None = None
        self._circuit: CircuitBreaker | None = None
        self._opening = ForkSafeLock()
        self._watch = self._new_watch()
        reset_after_fork(self, SharedStore.forget_backend)

    def get(self, key: str) -> Any:
        """The value at `key`, or `MISSING`."""
        return self._do(lambda backend: backend.get(key, MISSING))

    def get_many(self, keys: Iterable[str]) -> dict[str, Any]:
        """Those of `keys` that have a value, in one round trip."""
        return self._do(lambda backend: backend.get_many(list(keys)))

    def add(self, key: str, value: Any, *, lifetime_s: float | None) -> bool:
        """Set `key` if it has no value; True for exactly one of all who try, in all processes."""
        added = self._do(lambda backend: backend.add(key, value, _seconds(lifetime_s)))
        self._watch.after_write()
        return added

    def set(self, key: str, value: Any, *, lifetime_s: float | None) -> None:
        """Set `key`, whatever was there."""
        self._do(lambda backend: backend.set(key, value, _seconds(lifetime_s)))
        self._watch.after_write()

    def set_many(self, values: Mapping[str, Any], *, lifetime_s: float | None) -> None:
        """Set several keys in one round trip."""
        self._do(lambda backend: backend.set_many(dict(values), _seconds(lifetime_s)))
        self._watch.after_write()

    def delete(self, key: str) -> bool:
        """Remove `key`; False where it had no value."""
        return self._do(lambda backend: backend.delete(key))

    def delete_many(self, keys: Iterable[str]) -> None:
        """Remove several keys in one round trip."""
        self._do(lambda backend: backend.delete_many(list(keys)))

    def incr(self, key: str, delta: int = 1) -> int | Missing:
        """Add to the whole number at `key` and give the sum; `MISSING` where it has no value."""

        def add(backend: BaseCache) -> int | Missing:
            try:
                return backend.incr(key, delta)
            except ValueError:
                return MISSING

        return self._do(add)

    def touch(self, key: str, *, lifetime_s: float | None) -> bool:
        """Give `key` a new lifetime from now; False where it has no value."""
        return self._do(lambda backend: backend.touch(key, _seconds(lifetime_s)))

    def size(self) -> StoreSize | None:
        """How full it is, of some seconds ago; None where that can't be told. Never raises."""
        return self._watch.size()

    def backend(self) -> BaseCache:
        """The process's own backend object: one for all threads, so that threads share its connections."""
        backend = self._backend
        if backend is None:
            with self._opening:
                backend = self._backend
                if backend is None:
                    backend = self._backend = caches.create_connection(self.alias)
        return backend

    def forget_backend(self) -> None:
        """Open anew on the next use: the settings have changed, or this is a child process."""
        self._backend = None
        self._watch = self._new_watch()
        self._circuit = None

    def _new_watch(self) -> SizeWatch:
        return SizeWatch(alias=self.alias, ask=lambda: self._do(read_size))

    def circuit(self) -> CircuitBreaker:
        """What keeps operations from a store that hangs: one for each address, whichever aliases name it."""
        circuit = self._circuit
        if circuit is None:
            circuit = self._circuit = store_circuits.of(_address(self.alias))
        return circuit

    def _do(self, operation: Callable[[BaseCache], T]) -> T:
        circuit = self.circuit()
        admission = circuit.admit()
        if admission is None:
            raise StoreUnavailableError(f"store {self.alias!r}: it does not answer at the moment")
        try:
            result = operation(self.backend())
        except TypeError:
            circuit.withdraw(admission)
            raise
        except Exception as error:
            # The words of other backends may name keys, which are hashes, and addresses: those stay in the chain.
            why = f"{type(error).__name__}: {error}" if isinstance(error, SQLiteCacheError) else type(error).__name__
            if isinstance(error, CacheFullError | ResponseError):  # it answers: a full Redis, say
                circuit.answered()
            elif isinstance(error, CacheBusyError):  # other processes write to the file at the moment
                circuit.withdraw(admission)
            else:
                circuit.failed(admission, slow_s=STORE_SLOW_S, why=why)
            raise StoreUnavailableError(f"store {self.alias!r}: {why}") from error
        except BaseException:
            circuit.withdraw(admission)
            raise
        circuit.answered()
        return result


def _address(alias: str) -> str:
    """Whom an alias asks, without the user and password of its address."""
    given = settings.CACHES.get(alias, {}).get("LOCATION", "")
    location = str(given[0] if given and isinstance(given, list | tuple) else given)
    scheme, separator, rest = location.partition("://")
    if not separator:
        return f"store {location or alias}"
    server, _, path = rest.partition("/")
    server, path = server.rpartition("@")[2], path.partition("?")[0]
    # Databases of one Redis are one server. A socket has its name in the path; Sentinels watch several servers.
    if not server:
        server = f"/{path}"
    elif is_sentinel_url(location):
        server = f"{server}/{path.partition('/')[0]}"
    return f"store {scheme}://{server}"


def _seconds(lifetime_s: float | None) -> int | None:
    return None if lifetime_s is None else max(0, math.ceil(lifetime_s))


_query_store: Final = SharedStore(alias=QUERY_ALIAS)
_refresh_store: Final = SharedStore(alias=REFRESH_ALIAS)


def query_store() -> SharedStore:
    """The store of cached queries."""
    return _query_store


def refresh_store() -> SharedStore:
    """The store of what a token refresh shares."""
    return _refresh_store


def _on_setting_changed(*, setting: str, **_: object) -> None:
    if setting == "CACHES":
        store_circuits.forget()
        _query_store.forget_backend()
        _refresh_store.forget_backend()


setting_changed.connect(_on_setting_changed, dispatch_uid="portal.store.aliases")
