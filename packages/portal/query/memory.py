"""What one request has read: each query runs at most once per request."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from portal.query.keys import QueryKey
    from portal.query.shown import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """An outcome, and how many pages were asked for."""

    outcome: Outcome
    count: int


class Memory:
    """Outcomes by query and start. Safe for the threads of one request."""

    def __init__(self) -> None:
        self._outcomes: dict[tuple[str, str, str | None], Remembered] = {}
        self._drops: dict[str, int] = {}
        self._lock = threading.Lock()

    def get(self, key: QueryKey, *, start: str | None = None) -> Remembered | None:
        """What the query came to, if this request ran it."""
        return self._outcomes.get((key.endpoint, key.digest, start))

    def drops(self, key: QueryKey) -> int:
        """How often the query's endpoint was forgotten, for :meth:`put` of a read that begins now."""
        return self._drops.get(key.endpoint, 0)

    def put(self, key: QueryKey, outcome: Outcome, *, since: int, start: str | None = None, count: int = 1) -> None:
        """Remember an outcome, unless a write was done while its read was under way.

        :param since: what :meth:`drops` gave before the read began.
        """
        with self._lock:
            if self._drops.get(key.endpoint, 0) == since:
                self._outcomes[key.endpoint, key.digest, start] = Remembered(outcome=outcome, count=count)

    def drop(self, endpoints: Iterable[str]) -> None:
        """Forget all queries of these endpoints: a write or an invalidation concerns them."""
        dropped = set(endpoints)
        with self._lock:
            for endpoint in dropped:
                self._drops[endpoint] = self._drops.get(endpoint, 0) + 1
            self._outcomes = {name: value for name, value in self._outcomes.items() if name[0] not in dropped}

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._outcomes = {}
