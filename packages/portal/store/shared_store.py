"""The two stores that processes share: aliases of Django's cache, typed, with one kind of failure.

`query_store()` keeps cached queries, and may lose any entry at any time. `refresh_store()` keeps the records
of refresh tokens and the tombstones of access tokens, and must never evict an entry. Do not call `clear()` on its
backend: on Redis that empties the whole database.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import methodcaller
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from django.conf import settings
from django.core.cache import caches
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.redis import RedisCache
from django.core.signals import setting_changed

from fork_safety import ForkSafeLock, reset_after_fork
from portal.config.environment import is_cluster_url, server_of
from portal.config.limits import STORE_SLOW_S
from portal.errors import StoreUnavailableError
from portal.process import CircuitBreaker, store_circuits
from portal.store.inspection import StoreServer, fullest, inspect
from portal.store.size import (
    SizeWatch,
    StoreFailure,
    failure_of,
    is_no_number,
    store_failures,
    store_timings,
)
from portal.store.unknown_values import note_unknown
from portal.store.updates import MISSING, Missing, update_value
from sqlite_cache import SQLiteCache, SQLiteCacheError

if TYPE_CHECKING:
    # It imports redis.
    from portal.store.cluster import ClusterCache

T = TypeVar("T")

QUERY_ALIAS: Final = "default"
REFRESH_ALIAS: Final = "refresh"


class SharedStore:
    """One alias of Django's `CACHES`, for JSON values. Safe for threads and after a fork.

    Lifetimes are in seconds, rounded up to whole ones, because Redis takes whole seconds; None is for ever. Each method
    raises :class:`~portal.errors.StoreUnavailableError` for every failure of the backend, and at once while the circuit
    of its server is open. A value without a JSON form is a `TypeError`. What the store has and is no JSON is read as
    `sqlite_cache.UNREADABLE`, which no reader takes for one of its values.
    """

    _backend: BaseCache | None
    _circuit: CircuitBreaker | None
    _size: SizeWatch

    def __init__(self, *, alias: str) -> None:
        self.alias = alias
        self._opening = ForkSafeLock()
        self.reset()
        reset_after_fork(self, SharedStore.reset)
        # Listed with 0 before anything has failed.
        store_failures.add(0, alias, StoreFailure.NO_ANSWER)

    def get(self, key: str) -> Any:
        """The value at `key`, or `MISSING`."""
        return self._do(methodcaller("get", key, MISSING), key)

    def get_many(self, keys: Iterable[str]) -> dict[str, Any]:
        """Those of `keys` that have a value, read at one moment; on a cluster, those of each step."""
        if self._circuit is not None:  # no cluster: the path of every page
            return self._do(methodcaller("get_many", list(keys)))
        found: dict[str, Any] = {}
        for step in self.steps(keys):
            found |= self._do(methodcaller("get_many", step), step[0])
        return found

    def add(self, key: str, value: Any, *, lifetime_s: float | None) -> bool:
        """Set `key` if it has no value; True for exactly one of all callers, in all processes."""
        added: bool = self._do(methodcaller("add", key, value, _whole_seconds(lifetime_s)), key)
        self._size.after_write()
        return added

    def set(self, key: str, value: Any, *, lifetime_s: float | None) -> None:
        """Set `key`, and replace any value of before."""
        self._do(methodcaller("set", key, value, _whole_seconds(lifetime_s)), key)
        self._size.after_write()

    def update(self, key: str, change: Callable[[Any], Any], *, lifetime_s: int, since: float) -> None:
        """Set `key` to what `change` makes of its value, with nothing of others in between.

        :param change: gets the value, or `MISSING`, and gives the new one, or `MISSING` to leave it as it is. It is
            called several times where the key has a value, or another caller sets it meanwhile.
        :param since: a value that was set before this moment, with the same lifetime, may count as missing; seconds
            since the epoch.
        """
        self._do(partial(update_value, key=key, change=change, lifetime_s=lifetime_s, since=since), key)
        self._size.after_write()

    def set_many(self, values: Mapping[str, Any], *, lifetime_s: float | None) -> None:
        """Set several keys in one operation; on a cluster, step by step, in this order."""
        for step in self.steps(values):
            part = {key: values[key] for key in step}
            self._do(methodcaller("set_many", part, _whole_seconds(lifetime_s)), step[0])
        self._size.after_write()

    def delete(self, key: str) -> bool:
        """Remove `key`; False where it had no value."""
        deleted: bool = self._do(methodcaller("delete", key), key)
        return deleted

    def delete_many(self, keys: Iterable[str]) -> None:
        """Remove several keys in one operation; on a cluster, step by step."""
        for step in self.steps(keys):
            self._do(methodcaller("delete_many", step), step[0])

    def incr(self, key: str, delta: int = 1) -> int | Missing:
        """Add to the whole number at `key` and give the sum; `MISSING` where it has no value.

        A value that is no whole number is deleted, and was missing.
        """

        def add(backend: BaseCache) -> int | Missing:
            try:
                return backend.incr(key, delta)
            except ValueError:
                return MISSING
            except Exception as error:
                if not is_no_number(error):
                    raise
                note_unknown("a counter")
                backend.delete(key)
                return MISSING

        return self._do(add, key)

    def touch(self, key: str, *, lifetime_s: float | None) -> bool:
        """Give `key` a new lifetime from now; False where it has no value."""
        touched: bool = self._do(methodcaller("touch", key, _whole_seconds(lifetime_s)), key)
        return touched

    def steps(self, keys: Iterable[str]) -> list[list[str]]:
        """The keys by operation: those of one slot of a cluster together, in the order of their first; elsewhere all.

        Two steps are two moments, and one may fail where the other is done.
        """
        if self._circuit is not None or (cluster := self._cluster) is None:
            whole = list(keys)
            return [whole] if whole else []
        steps: dict[int, list[str]] = {}
        for key in keys:
            steps.setdefault(cluster.slot(key), []).append(key)
        return list(steps.values())

    @property
    def tags(self) -> Sequence[str]:
        """With which the keys of users begin that lie in one slot of a cluster; none elsewhere."""
        return () if self._cluster is None else self._cluster.tags

    def everywhere(self, key: str) -> list[str]:
        """The key; on a cluster, one such key for each primary."""
        return [key] if self._cluster is None else self._do(methodcaller("everywhere", key))

    def check_room(self) -> None:
        """Return if an embedded store is below its limit, or evicts. Others refuse writes while they are full."""
        if isinstance(self.backend(), SQLiteCache):
            self._do(methodcaller("check_room"))

    def size(self) -> StoreServer | None:
        """How full the store was some seconds ago; None where that is unknown. Never raises."""
        return self._size.size()

    def backend(self) -> BaseCache:
        """The backend of this process: one object for all threads, so that they share its connections."""
        backend = self._backend
        if backend is None:
            with self._opening:
                backend = self._backend
                if backend is None:
                    backend = self._backend = caches.create_connection(self.alias)
        return backend

    def circuit(self, key: str | None = None) -> CircuitBreaker:
        """The circuit of the server: one for each address, so two aliases on one server share it.

        :param key: on a cluster, the circuit is that of the node which has the key.
        """
        if (circuit := self._circuit) is None:
            address, cluster = f"store {server_of(_location(self.alias)) or self.alias}", self._cluster
            node = cluster.node_of(key) if cluster is not None and key is not None else None
            circuit = store_circuits.of(address if node is None else f"{address.partition('//')[0]}//{node}")
            if cluster is None:
                self._circuit = circuit
        return circuit

    @property
    def _cluster(self) -> ClusterCache | None:
        return cast("ClusterCache", self.backend()) if is_cluster_url(_location(self.alias)) else None

    def reset(self) -> None:
        """Open the backend again on the next use: the settings have changed, or this is a child process."""
        self._backend = None
        self._circuit = None
        self._size = SizeWatch(alias=self.alias, ask=self._read_size)

    def _read_size(self) -> StoreServer:
        return self._do(lambda backend: fullest(inspect(backend)))

    def _do(self, operation: Callable[[Any], T], key: str | None = None) -> T:
        """Do one operation. The circuit admits the operation, and learns its outcome.

        :param key: decides on the node of a cluster; without it, the operation is about the whole store.
        """
        circuit = self._circuit or self.circuit(key)
        admission = circuit.admit()
        if admission is None:
            store_failures.count(self.alias, StoreFailure.CIRCUIT_OPEN)
            raise StoreUnavailableError(f"store {self.alias!r}: it does not answer at the moment")
        began = time.perf_counter()
        try:
            if key is None or circuit is self._circuit or (cluster := self._cluster) is None:
                result = operation(self._backend or self.backend())
            else:
                result = cluster.at(key, operation)
        except TypeError:
            circuit.withdraw(admission)
            raise
        except Exception as error:
            # Other backends' messages may name keys, which are hashes, and addresses: they stay in the chain.
            why = f"{type(error).__name__}: {error}" if isinstance(error, SQLiteCacheError) else type(error).__name__
            failure = failure_of(error)
            store_failures.count(self.alias, failure)
            if failure in {StoreFailure.FULL, StoreFailure.REFUSED}:
                circuit.answered()
            elif failure is StoreFailure.BUSY:
                circuit.withdraw(admission)
            else:
                circuit.failed(admission, slow_s=STORE_SLOW_S, why=why)
            raise StoreUnavailableError(f"store {self.alias!r}: {why}") from error
        except BaseException:
            circuit.withdraw(admission)
            raise
        finally:
            store_timings.observe(time.perf_counter() - began, self.alias)
        circuit.answered()
        return result


def _location(alias: str) -> str:
    given = settings.CACHES.get(alias, {}).get("LOCATION", "")
    return str(given[0] if given and isinstance(given, list | tuple) else given)


def _whole_seconds(lifetime_s: float | None) -> int | None:
    return None if lifetime_s is None else max(0, math.ceil(lifetime_s))


_query_store: Final = SharedStore(alias=QUERY_ALIAS)
_refresh_store: Final = SharedStore(alias=REFRESH_ALIAS)


def import_backends() -> None:
    """Import the code of the stores' backends. Opens no connection, and starts no thread.

    Importing redis takes 80 ms and more. An operation that waits for it counts as slow: it would open the circuit if
    its server refuses the connection.
    """
    for store in (_query_store, _refresh_store):
        if isinstance(store.backend(), RedisCache):
            importlib.import_module("redis")
            # A connection tells the server redis's version, and Python 3.13 imports more when it is asked for one.
            importlib.metadata.version("redis")


def query_store() -> SharedStore:
    """The store of cached queries."""
    return _query_store


def refresh_store() -> SharedStore:
    """The store of what token refreshes share."""
    return _refresh_store


def _on_setting_changed(*, setting: str, **_: object) -> None:
    if setting == "CACHES":
        store_circuits.clear()
        _query_store.reset()
        _refresh_store.reset()


setting_changed.connect(_on_setting_changed, dispatch_uid="portal.store.shared_store")
