"""The request cache: what one request has read. Each query runs at most once for each request.

The client of a command may live for hours. So the cache is bounded in number and in time; no request reaches a bound.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from portal.query.cache import ReadResult
    from portal.query.endpoints import QueryKey


#: Queries whose results are kept. The one that was not used for the longest time goes first.
MAX_MEMOIZED: Final = 256
#: Seconds for which a result is kept: longer than a request may take.
MEMOIZED_FOR_S: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Memoized:
    """A result, how many pages were asked for, and when.

    :param epoch: whose it is (:attr:`RequestPartition.epoch`).
    """

    result: ReadResult
    count: int
    at: float
    epoch: int


class RequestCache:
    """Results by query and first cursor. Safe for the threads of one request.

    :param clock: seconds since the epoch.
    """

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._results: OrderedDict[tuple[str, str, str | None], Memoized] = OrderedDict()
        self._drops: dict[str, int] = {}
        self._lock = threading.Lock()

    def get(self, key: QueryKey, *, epoch: int, start: str | None = None) -> Memoized | None:
        """The query's result, if this request has read the query.

        :param epoch: the request's present one; a result of another epoch is another user's.
        """
        name = (key.endpoint, key.digest, start)
        with self._lock:
            known = self._results.get(name)
            if known is None or known.epoch != epoch or not 0 <= self._clock() - known.at < MEMOIZED_FOR_S:
                return None
            self._results.move_to_end(name)
            return known

    def drops(self, key: QueryKey) -> int:
        """How often the query's endpoint was dropped. A read that begins now gives it to :meth:`put`."""
        return self._drops.get(key.endpoint, 0)

    def put(
        self,
        key: QueryKey,
        result: ReadResult,
        *,
        epoch: int,
        drops: int,
        start: str | None = None,
        count: int = 1,
        at: float | None = None,
    ) -> None:
        """Keep a result, unless a write was done while its read was under way.

        :param drops: what :meth:`drops` gave before the read began.
        :param at: when its oldest part was put here, where the read went on from that part; by default now.
        """
        with self._lock:
            if self._drops.get(key.endpoint, 0) == drops:
                name = (key.endpoint, key.digest, start)
                at = self._clock() if at is None else at
                self._results[name] = Memoized(result=result, count=count, at=at, epoch=epoch)
                self._results.move_to_end(name)
                while len(self._results) > MAX_MEMOIZED:
                    self._results.popitem(last=False)

    def drop(self, endpoints: Iterable[str]) -> None:
        """Drop the results of all queries of these endpoints, because a write or an invalidation concerns them."""
        dropped = set(endpoints)
        with self._lock:
            for endpoint in dropped:
                self._drops[endpoint] = self._drops.get(endpoint, 0) + 1
            for name in [name for name in self._results if name[0] in dropped]:
                del self._results[name]
