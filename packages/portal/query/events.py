"""What each query and each mutation of a request came to, for `/metrics` and the devtools panel."""

from __future__ import annotations

import logging
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from django.conf import settings

from portal.config.places import declaring_line, place
from portal.query.cache import CACHE_STATUSES
from portal.telemetry.metrics import Counters, Label

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.errors import ApiError
    from portal.query.cache import CacheStatus, ReadResult
    from portal.query.endpoints import QueryKey, QuerySpec, WriteRequest


class QueryEvent(NamedTuple):
    """One call of a query hook.

    :param query: its key.
    :param start: cursor of the first page; None for the beginning.
    :param pages: how many pages were given.
    :param began_s: :func:`time.perf_counter` at the beginning.
    :param duration_s: of the whole call.
    :param age_s: of the oldest page; None without one.
    :param patches: how many patches of the user's own writes were applied.
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

    @property
    def key(self) -> tuple[Any, ...]:
        """The query key as in requirements, "Client-side hook generators"."""
        return tuple(self.query.parts)

    @property
    def endpoint(self) -> str:
        """The endpoint's key."""
        return self.query.endpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationEvent:
    """One call of a mutation hook.

    :param write: what was sent, with what it changes in cached queries.
    :param began_s: :func:`time.perf_counter` at the beginning.
    :param duration_s: of the whole call.
    :param error: class of the error; empty without one.
    """

    write: WriteRequest
    began_s: float
    duration_s: float
    error: str


logger = logging.getLogger("portal.query")

#: So many reads of one endpoint, one after the other, are probably a loop over rows.
ONE_BY_ONE: Final = 6
#: Events that a client keeps. No page has as many; a command's client may live for hours.
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
    """The latest 256 events of a client, in order.

    :param clock: seconds since the epoch.
    """

    __slots__ = ("_clock", "_done", "_warns")

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._done: deque[QueryEvent | MutationEvent] = deque(maxlen=MAX_EVENTS)
        self._warns: bool = settings.DEBUG

    def add_read(self, call: QuerySpec[Any], result: ReadResult, *, began: float) -> CacheStatus:
        """Note a query that has ended now.

        :param began: :func:`time.perf_counter` at its beginning.
        :returns: where its answer came from.
        """
        duration, fetched_at = time.perf_counter() - began, result.fetched_at
        key, status, pages = call.query.key, result.cache_status, len(result.pages)
        age = None if fetched_at is None else self._clock() - fetched_at
        error = type(result.error).__name__ if result.error else ""
        self._done.append(QueryEvent(key, call.cursor, pages, status, began, duration, age, result.patches, error))
        _read_counters.count(key.endpoint, status)
        if result.patches and not result.is_memoized:
            _patch_counters.add(result.patches, key.endpoint)
        if self._warns and not result.is_memoized:
            self._tell_of_one_by_one(key.endpoint, call.query.hook.name)
        return status

    def _tell_of_one_by_one(self, endpoint: str, hook: str) -> None:
        """Warn a developer of calls that wait for each other. Those of one `use_queries` began together."""
        begun = {
            event.query.digest: event.began_s
            for event in self.queries
            if event.endpoint == endpoint and event.cache_status != "memoized"
        }
        if len(set(begun.values())) == ONE_BY_ONE:
            logger.warning(
                "%s: read %d times in one request, one after the other, at %s: read a list that has all rows, or run"
                " the calls at the same time: use_queries(request, [….%s.spec(…) for …])",
                endpoint,
                ONE_BY_ONE,
                place(*declaring_line("portal", "portal_pages")),
                hook,
            )

    def add_write(self, write: WriteRequest, error: ApiError | None, *, began: float) -> None:
        """Note a mutation that has ended now; `began` as in :meth:`add_read`."""
        duration, name = time.perf_counter() - began, type(error).__name__ if error else ""
        self._done.append(MutationEvent(write=write, began_s=began, duration_s=duration, error=name))

    @property
    def queries(self) -> list[QueryEvent]:
        """What each query came to."""
        # Of a copy: another thread of the request may add one meanwhile.
        return [done for done in tuple(self._done) if isinstance(done, QueryEvent)]

    @property
    def mutations(self) -> list[MutationEvent]:
        """What each mutation came to."""
        return [done for done in self._done if isinstance(done, MutationEvent)]
