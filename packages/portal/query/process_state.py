"""What the requests of one process share: one store's cache, proofs, flights and counts."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fork_safety import reset_after_fork
from portal.config.limits import BEHIND_QUEUE, BEHIND_THREADS, BESIDE_QUEUE, BESIDE_THREADS
from portal.process import Pool
from portal.query.cache.page_cache import QueryCache
from portal.query.partition.namespaces import Namespaces
from portal.query.reads.flights import Flights
from portal.query.reads.revalidations import Revalidations
from portal.store import query_store

if TYPE_CHECKING:
    from portal.store import SharedStore


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRuntime:
    """One store, with what a process remembers about it. Everything in it is safe for threads.

    :param beside: threads that work for requests which wait for them.
    """

    namespaces: Namespaces
    cache: QueryCache
    flights: Flights
    beside: Pool
    revalidations: Revalidations


def runtime_for(
    store: SharedStore, *, flights: Flights | None = None, beside: Pool | None = None, behind: Pool | None = None
) -> QueryRuntime:
    """Begin to share `store`.

    :param beside: threads that work for requests which wait for them.
    :param behind: threads that work behind all requests: what nobody waits for is never in the way of the others.
    """
    beside = beside or Pool(name="beside", threads=BESIDE_THREADS, queue=BESIDE_QUEUE)
    behind = behind or Pool(name="behind", threads=BEHIND_THREADS, queue=BEHIND_QUEUE)
    namespaces = Namespaces(store=store)
    return QueryRuntime(
        namespaces=namespaces,
        cache=QueryCache(store=store, namespaces=namespaces),
        flights=flights or Flights(),
        beside=beside,
        revalidations=Revalidations(pool=behind),
    )


class _Process:
    """The one of this process, made after the fork: locks and flights must not be inherited."""

    _runtime: QueryRuntime | None
    _lock: threading.Lock

    def __init__(self) -> None:
        self._begin_anew()
        reset_after_fork(self, _Process._begin_anew)

    def runtime(self) -> QueryRuntime:
        if self._runtime is None:
            with self._lock:
                if self._runtime is None:
                    self._runtime = runtime_for(query_store())
        return self._runtime

    def _begin_anew(self) -> None:
        self._lock = threading.Lock()
        self._runtime = None


_process = _Process()


def process_runtime() -> QueryRuntime:
    """What all requests of this process share on the configured store."""
    return _process.runtime()
