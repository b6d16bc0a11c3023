"""Outcomes of a client's queries and mutations, for the toolbar's panel, and their counts, for `/metrics`."""

import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from portal.errors import ApiError
from portal.query.cache import CACHE_STATUSES, CacheStatus, ReadResult
from portal.query.endpoints import QueryKey, QuerySpec, WriteRequest
from portal.telemetry.metrics import Counters, Label


class QueryEvent(NamedTuple):
    """One call of a query hook.

    :param start: cursor of the first page; None for the beginning.
    :param pages: number of pages that the hook returned.
    :param began_s: :func:`time.perf_counter` at the beginning.
    :param age_s: age of the oldest page; None without one.
    :param patches: number of patches of the user's own writes that were applied.
    :param error: class of the error; empty without one.
    """

    query: QueryKey
    start: str | None
    pages: int
    cache_status: CacheStatus
    began_s: float
    duration_s: float
    age_s: float | None
    patches: int
    error: str


class MutationEvent(NamedTuple):
    """One call of a mutation hook; `began_s` and `error` as in :class:`QueryEvent`."""

    write: WriteRequest
    began_s: float
    duration_s: float
    error: str


#: Events of each kind that a client keeps. No page has as many; a command's client may live for hours.
MAX_EVENTS: Final = 256

_ENDPOINT: Final = Label(name="endpoint", says="the query's endpoint, such as `energy.get_clients`")
_read_counters: Final = Counters(
    "portal_cache_reads_total",
    "Queries that requests ran, by endpoint and by what the cache had.",
    labels=[
        _ENDPOINT,
        Label(
            name="result",
            says="`hit`: fresh pages · `stale`: older pages were shown · `partial`, `miss`: some or all were fetched"
            " · `memoized`: the same request had read the query · `error`: there was nothing to show",
            values=CACHE_STATUSES,
        ),
    ],
)
_patch_counters: Final = Counters(
    "portal_cache_patches_total",
    "Writes of users that were applied to the cached pages of a query.",
    labels=[_ENDPOINT],
)


class EventLog:
    """The latest events of a client, in order.

    :param clock: seconds since the epoch.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.queries: list[QueryEvent] = []
        self.mutations: list[MutationEvent] = []

    def add_read(self, call: QuerySpec[Any], result: ReadResult, *, began: float) -> CacheStatus:
        """Add and count a query that has ended now, and return where its answer came from.

        :param began: :func:`time.perf_counter` at its beginning.
        """
        duration, fetched_at = time.perf_counter() - began, result.fetched_at
        key, status, pages = call.query.key, result.cache_status, len(result.pages)
        age = None if fetched_at is None else self._clock() - fetched_at
        error = type(result.error).__name__ if result.error else ""
        self.queries.append(QueryEvent(key, call.cursor, pages, status, began, duration, age, result.patches, error))
        del self.queries[:-MAX_EVENTS]
        _read_counters.count(key.endpoint, status)
        if result.patches and not result.is_memoized:
            _patch_counters.add(result.patches, key.endpoint)
        return status

    def add_write(self, write: WriteRequest, error: ApiError | None, *, began: float) -> None:
        """Add a mutation that has ended now; `began` as in :meth:`add_read`."""
        name = type(error).__name__ if error else ""
        self.mutations.append(MutationEvent(write, began, time.perf_counter() - began, name))
        del self.mutations[:-MAX_EVENTS]
