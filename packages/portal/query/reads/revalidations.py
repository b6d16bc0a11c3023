"""Revalidations: what this process fetches behind its requests, after they showed an older answer.

A client in a browser refetches a stale query when a component mounts, and shows the old data until then
(stale-while-revalidate). A page can't change after it was sent, so the next page shows the new data.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.process import Pool

logger = logging.getLogger("portal.query")

Revalidated: TypeAlias = Literal["fetched", "skipped", "failed", "refused", "dropped"]
#: fetched: the cache has the news · skipped: somebody else does it, or nobody may · failed: no usable answer, and the
#: cached one stays · refused: the backend said no, and the cached one went · dropped: too much was waiting.
REVALIDATED: Final[tuple[Revalidated, ...]] = ("fetched", "skipped", "failed", "refused", "dropped")


class Revalidations:
    """Those of one process, each query once at a time. Safe for threads."""

    def __init__(self, *, pool: Pool) -> None:
        self._pool = pool
        self._underway: set[str] = set()
        self._counts: Counter[Revalidated] = Counter()
        self._lock = threading.Lock()

    def begin(self, name: str, work: Callable[[], Revalidated]) -> None:
        """Have `work` done behind this request, unless the same query is waiting or under way; never waits.

        :param name: the query's, in its user's namespace.
        """
        with self._lock:
            if name in self._underway:
                return
            self._underway.add(name)
        if self._pool.submit(lambda: self._run(name, work)) is None:
            self._end(name, "dropped")

    def skip(self) -> None:
        """Count one that may not be done."""
        with self._lock:
            self._counts["skipped"] += 1

    def counts(self) -> dict[Revalidated, int]:
        """How many ended how, since this process began."""
        with self._lock:
            return {outcome: self._counts[outcome] for outcome in REVALIDATED}

    def _run(self, name: str, work: Callable[[], Revalidated]) -> None:
        outcome: Revalidated = "failed"
        try:
            outcome = work()
        except Exception:
            logger.exception("a revalidation failed unexpectedly")
        finally:
            self._end(name, outcome)

    def _end(self, name: str, outcome: Revalidated) -> None:
        with self._lock:
            self._underway.discard(name)
            self._counts[outcome] += 1
