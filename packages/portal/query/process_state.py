"""What the requests of one process share: the caches of one store, fetches in flight, threads."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fork_safety import ForkSafeLock, reset_after_fork
from portal.api import current_backend
from portal.config.current import portal_config
from portal.config.limits import FETCH_QUEUE, FETCH_THREADS, PATIENCE_S
from portal.process import Pool, SingleFlight
from portal.query.cache import MAX_CLOCK_SKEW_S, MAX_VARIANT_PAGES, READ_LAG_S, MergedPage, PageCache
from portal.query.sign_in_caches import SignInCaches
from portal.store import query_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.store import SharedStore


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRuntime:
    """One store, with what a process keeps in memory for it. Everything in it is safe for threads.

    :param single_flight: pages that are being fetched.
    :param pool: threads for fetches beside a request and behind it.
    :param warned: names of which the log has its line: one warning for each is enough.
    :param patience_s: how long a request waits for newer data while it could show older data.
    """

    caches: SignInCaches
    cache: PageCache
    single_flight: SingleFlight[MergedPage]
    pool: Pool
    patience_s: float
    warned: set[str] = field(default_factory=set)


def runtime_for(
    store: SharedStore,
    *,
    single_flight: SingleFlight[MergedPage] | None = None,
    pool: Pool | None = None,
    patience_s: float = PATIENCE_S,
    read_lag_s: float = READ_LAG_S,
    variant_places: int = MAX_VARIANT_PAGES,
    backend_url: str = "",
    random_below: Callable[[int], int] = secrets.randbelow,
) -> QueryRuntime:
    """Make the runtime of one store.

    :param read_lag_s: how far the backend's reads may be behind its writes, seconds.
    :param variant_places: places in the store that all variants of a sign-in share.
    :param backend_url: whose pages are read.
    :param random_below: a random whole number from 0 to below its argument.
    """
    caches = SignInCaches(store=store, random_below=random_below)
    return QueryRuntime(
        caches=caches,
        cache=PageCache(
            store=store,
            caches=caches,
            read_lag_s=read_lag_s,
            variant_places=variant_places,
            backend_url=backend_url,
            random_below=random_below,
        ),
        single_flight=single_flight or SingleFlight(),
        pool=pool or Pool(name="fetch", threads=FETCH_THREADS, queue=FETCH_QUEUE),
        patience_s=patience_s,
    )


class _Process:
    """The runtime of this process. A child process makes its own: a fork must not inherit locks and threads."""

    def __init__(self) -> None:
        self._lock = ForkSafeLock()
        self.made: QueryRuntime | None = None
        reset_after_fork(self, _Process._forget)

    def runtime(self) -> QueryRuntime:
        if self.made is None:
            with self._lock:
                if self.made is None:
                    settle_s = current_backend().settle_s
                    self.made = runtime_for(
                        query_store(),
                        read_lag_s=settle_s + MAX_CLOCK_SKEW_S if settle_s else 0.0,
                        backend_url=portal_config().api_base_url,
                    )
        return self.made

    def _forget(self) -> None:
        self.made = None


_process = _Process()


def process_runtime() -> QueryRuntime:
    """What all requests of this process share on the configured store."""
    return _process.made or _process.runtime()
