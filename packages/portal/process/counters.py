"""Counts of this process, for `/metrics`."""

from __future__ import annotations

from collections import Counter
from typing import Generic, TypeVar

from fork_safety import ForkSafeLock, reset_after_fork

K = TypeVar("K")


class Counters(Generic[K]):
    """Counts that only grow, by key. Safe for threads; a child process counts from zero."""

    def __init__(self) -> None:
        self._lock = ForkSafeLock()
        self._reset()
        reset_after_fork(self, Counters._reset)

    def count(self, key: K) -> None:
        """Add one."""
        with self._lock:
            self._counts[key] += 1

    def snapshot(self) -> Counter[K]:
        """A copy of the counts; 0 for every other key."""
        with self._lock:
            return Counter(self._counts)

    def _reset(self) -> None:
        self._counts: Counter[K] = Counter()
