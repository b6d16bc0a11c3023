"""How often each endpoint's queries were fresh, fetched, stale or failed: counted here, summed up in the store.

A process counts in its own memory and adds to the store now and then, so that a read costs nothing for it;
`query_cache_stats` shows the sums of all processes.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Final

from portal.errors import StoreUnavailableError
from portal.query.events import VERDICTS, Verdict
from portal.store.aliases import Missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from portal.store.aliases import SharedStore

#: Seconds between two sums of one process.
SUM_EVERY_S: Final = 5.0
SUMS_LIFETIME_S: Final = 7 * 24 * 60 * 60


class Counters:
    """Counts of this process. Safe for threads."""

    def __init__(self, *, store: SharedStore, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._counts: Counter[tuple[str, Verdict]] = Counter()
        self._summed_at = clock()
        self._lock = threading.Lock()

    def count(self, endpoint: str, verdict: Verdict) -> None:
        """Count one read."""
        with self._lock:
            self._counts[endpoint, verdict] += 1
            if self._clock() - self._summed_at < SUM_EVERY_S:
                return
            self._summed_at = self._clock()
        self.add_up()

    def add_up(self) -> None:
        """Add this process's counts to the store; those that can't be added now are lost."""
        with self._lock:
            counts, self._counts = self._counts, Counter()
        try:
            for (endpoint, verdict), number in counts.items():
                key = _sum_key(endpoint, verdict)
                total = self._store.incr(key, number)
                if total == number:
                    # On Redis a sum that ends while it is added to begins anew, and without an end.
                    self._store.touch(key, lifetime_s=SUMS_LIFETIME_S)
                elif isinstance(total, Missing) and not self._store.add(key, number, lifetime_s=SUMS_LIFETIME_S):
                    # Another process began the sum in between.
                    self._store.incr(key, number)
        except StoreUnavailableError:
            # Counting is no reason to disturb a read, and the read itself has logged the outage.
            return

    def sums(self, endpoints: Iterable[str]) -> dict[str, dict[Verdict, int]]:
        """Endpoint to verdict to sum over all processes, of about the last week.

        :raises StoreUnavailableError: the store can't be read.
        """
        keys = {_sum_key(endpoint, verdict): (endpoint, verdict) for endpoint in endpoints for verdict in VERDICTS}
        sums: dict[str, dict[Verdict, int]] = {}
        for key, number in self._store.get_many(keys).items():
            endpoint, verdict = keys[key]
            sums.setdefault(endpoint, {})[verdict] = int(number)
        return sums


def _sum_key(endpoint: str, verdict: Verdict) -> str:
    return f"sum:{endpoint}:{verdict}"
