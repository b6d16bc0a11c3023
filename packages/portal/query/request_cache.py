"""The request cache: what one request has read. Each query runs at most once for each request.

A write, an invalidation, and tokens of another user empty it. The client of a command may live for hours. So the cache
is bounded in number and in time; no request reaches a bound.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from portal.query.cache import is_enough

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.query.cache import ReadResult


#: Endpoint, digest of the parameters, and first cursor.
QueryName: TypeAlias = tuple[str, str, str | None]
#: Queries whose results are kept. The one that was not used for the longest time goes first.
MAX_MEMOIZED: Final = 256
#: Seconds for which a result is kept: longer than a request may take.
MEMOIZED_FOR_S: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Memoized:
    """A result, how many pages were asked for, and when."""

    result: ReadResult
    count: int
    at: float

    def answer(self, count: int, *, again: bool) -> ReadResult | None:
        """What a later call for `count` pages gets; None where something has to be fetched for it.

        :param again: whether it tries once more what has failed.
        """
        done, has_all = self.result, is_enough(self.result.pages, count)
        if has_all and (not done.is_stale or done.error is None):
            # If there is an error, a page behind these failed.
            return done.memoized(count, error=None)
        has_failed = done.error is not None and count <= self.count and not again
        return done.memoized(count, error=done.error) if has_all or has_failed else None


class RequestCache:
    """Results by query and first cursor. Safe for the threads of one request.

    :param clock: seconds since the epoch.
    :ivar version: how often it was emptied: by a profile that told of other permissions, and for any other reason. A
        read that began at another version may lack a write.
    """

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self.version = (0, 0)
        self._clock = clock
        self._results: OrderedDict[QueryName, Memoized] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, name: QueryName) -> Memoized | None:
        """The query's result, if this request has read the query."""
        with self._lock:
            known = self._results.get(name)
            if known is None or not 0 <= self._clock() - known.at < MEMOIZED_FOR_S:
                return None
            self._results.move_to_end(name)
            return known

    def put(self, name: QueryName, result: ReadResult, *, count: int, at: float | None) -> None:
        """Keep a result.

        :param at: when its oldest part was put here, where the read went on from that part; None for now.
        """
        with self._lock:
            self._results[name] = Memoized(result=result, count=count, at=self._clock() if at is None else at)
            self._results.move_to_end(name)
            while len(self._results) > MAX_MEMOIZED:
                self._results.popitem(last=False)

    def clear(self, *, by_profile: bool = False) -> None:
        """Empty it: a write may have changed what was read, or it is another user's by now.

        :param by_profile: because a profile told of other permissions.
        """
        with self._lock:
            profiles, others = self.version
            self.version = (profiles + by_profile, others + (not by_profile))
            self._results.clear()
