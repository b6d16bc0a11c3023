"""The runtime that requests of one process share: the caches of one store, fetches in flight, threads."""

import os
import secrets
from collections.abc import Callable
from typing import Any

from fork_safety import ForkSafeLock
from portal.api import current_backend
from portal.config.current import portal_config
from portal.config.limits import FETCH_QUEUE, FETCH_THREADS, PATIENCE_S
from portal.process import Pool, SingleFlight
from portal.query.cache import MAX_CLOCK_SKEW_S, MergedPage, PageCache
from portal.query.sign_in_caches import SignInCaches
from portal.store import SharedStore, query_store


class QueryRuntime:
    """One store, with what a process keeps in memory for it. Everything in it is safe for threads.

    :param single_flight: pages that are being fetched.
    :param pool: threads for fetches beside a request and behind it.
    :param patience_s: how long a request waits for newer data while it could show older data.
    :param random_below: a random whole number from 0 to below its argument.
    :param pages: further options of :class:`PageCache`.
    :ivar warned: names of which the log has its line: one warning for each is enough.
    """

    def __init__(
        self,
        store: SharedStore,
        *,
        single_flight: SingleFlight[MergedPage] | None = None,
        pool: Pool | None = None,
        patience_s: float = PATIENCE_S,
        random_below: Callable[[int], int] = secrets.randbelow,
        **pages: Any,
    ) -> None:
        self.caches = SignInCaches(store=store, random_below=random_below)
        self.cache = PageCache(store=store, caches=self.caches, **pages)
        self.single_flight: SingleFlight[MergedPage] = single_flight or SingleFlight()
        self.pool = pool or Pool(name="fetch", threads=FETCH_THREADS, queue=FETCH_QUEUE)
        self.patience_s = patience_s
        self.warned: set[str] = set()


_lock = ForkSafeLock()
_made: list[QueryRuntime] = []
# A child process makes its own: a fork must not inherit locks and threads.
os.register_at_fork(after_in_child=_made.clear)


def process_runtime() -> QueryRuntime:
    """Return what all requests of this process share on the configured store."""
    if not _made:
        with _lock:
            if not _made:
                settle_s, url = current_backend().settle_s, portal_config().api_base_url
                lag_s = settle_s + MAX_CLOCK_SKEW_S if settle_s else 0.0
                _made.append(QueryRuntime(query_store(), read_lag_s=lag_s, backend_url=url))
    return _made[0]
