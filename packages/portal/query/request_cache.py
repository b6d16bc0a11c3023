"""What one request has read: each query runs at most once per request.

A command's client may live for hours. So that it neither grows nor shows what is long past, memory is bounded in number
and in time; a request reaches neither bound.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from portal.query.cache.merged_pages import Outcome
    from portal.query.endpoints import QueryKey


#: Queries whose outcomes are remembered; the one that was not used for longest goes first.
MAX_REMEMBERED: Final = 256
#: Seconds for which one is remembered: longer than a request may take.
REMEMBERED_FOR_S: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """An outcome, how many pages were asked for, and when."""

    outcome: Outcome
    count: int
    at: float


class RequestCache:
    """Outcomes by query and start. Safe for the threads of one request.

    :param clock: seconds since the epoch.
    """

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._outcomes: OrderedDict[tuple[str, str, str | None], Remembered] = OrderedDict()
        self._drops: dict[str, int] = {}
        self._lock = threading.Lock()

    def get(self, key: QueryKey, *, start: str | None = None) -> Remembered | None:
        """What the query came to, if this request ran it."""
        name = (key.endpoint, key.digest, start)
        with self._lock:
            known = self._outcomes.get(name)
            if known is None or not 0 <= self._clock() - known.at < REMEMBERED_FOR_S:
                return None
            self._outcomes.move_to_end(name)
            return known

    def drops(self, key: QueryKey) -> int:
        """How often the query's endpoint was forgotten, for :meth:`put` of a read that begins now."""
        return self._drops.get(key.endpoint, 0)

    def put(
        self,
        key: QueryKey,
        outcome: Outcome,
        *,
        since: int,
        start: str | None = None,
        count: int = 1,
        at: float | None = None,
    ) -> None:
        """Remember an outcome, unless a write was done while its read was under way.

        :param since: what :meth:`drops` gave before the read began.
        :param at: when its oldest part was remembered, for one that goes on from another; now by default.
        """
        with self._lock:
            if self._drops.get(key.endpoint, 0) == since:
                name = (key.endpoint, key.digest, start)
                self._outcomes[name] = Remembered(outcome=outcome, count=count, at=self._clock() if at is None else at)
                self._outcomes.move_to_end(name)
                while len(self._outcomes) > MAX_REMEMBERED:
                    self._outcomes.popitem(last=False)

    def drop(self, endpoints: Iterable[str]) -> None:
        """Forget all queries of these endpoints: a write or an invalidation concerns them."""
        dropped = set(endpoints)
        with self._lock:
            for endpoint in dropped:
                self._drops[endpoint] = self._drops.get(endpoint, 0) + 1
            for name in [name for name in self._outcomes if name[0] in dropped]:
                del self._outcomes[name]

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._outcomes.clear()
