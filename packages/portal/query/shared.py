"""What the requests of one process share: one store's cache, proofs, flights and counts."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.query.cache import QueryCache
from portal.query.counters import Counters
from portal.query.flights import Flights
from portal.query.namespaces import Namespaces
from portal.store.aliases import query_store

if TYPE_CHECKING:
    from portal.store.aliases import SharedStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """One store, with what a process remembers about it. Everything in it is safe for threads."""

    namespaces: Namespaces
    cache: QueryCache
    flights: Flights
    counters: Counters


def shared_on(store: SharedStore, *, flights: Flights | None = None) -> Shared:
    """Begin to share `store`."""
    namespaces = Namespaces(store=store)
    return Shared(
        namespaces=namespaces,
        cache=QueryCache(store=store, namespaces=namespaces),
        flights=flights or Flights(),
        counters=Counters(store=store),
    )


class _Process:
    """The one of this process, made after the fork: locks and flights must not be inherited."""

    def __init__(self) -> None:
        self._shared: Shared | None = None
        self._owner = 0
        self._lock = threading.Lock()

    def shared(self) -> Shared:
        if self._shared is None or self._owner != os.getpid():
            with self._lock:
                if self._shared is None or self._owner != os.getpid():
                    self._shared, self._owner = shared_on(query_store()), os.getpid()
        return self._shared

    def forget(self) -> None:
        self._lock = threading.Lock()
        self._shared = None


_process = _Process()
os.register_at_fork(after_in_child=_process.forget)


def process_shared() -> Shared:
    """What all requests of this process share on the configured store."""
    return _process.shared()
