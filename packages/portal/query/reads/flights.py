"""One flight for each page and process: threads that want the same page at the same time fetch it once.

It saves calls, and nothing depends on it: with flights switched off every answer is the same. There is no lock
across processes: two workers may fetch the same page once each.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from portal.query.cache.write_log import MAX_RECORDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.query.cache.pages import Page, VersionStamp
    from portal.query.retries import Budget


#: Whatever flight there is may be joined, and none.
ANY_FLIGHT: Final = float("-inf")
NO_FLIGHT: Final = float("inf")


@dataclass(frozen=True, slots=True)
class _Flight:
    stamp: VersionStamp
    leader: int = field(default_factory=threading.get_ident)
    landing: Future[Page] = field(default_factory=Future)
    left_at: float = field(default_factory=time.monotonic)

    def may_be_joined(self, stamp: VersionStamp, *, left_from: float) -> bool:
        """Whether it left with all that a read with this stamp knows of. Nobody waits for themselves."""
        return self.leader != threading.get_ident() and self.left_at >= left_from and _knows(self.stamp, stamp)


class Flights:
    """The pages that are being fetched by this process. Safe for threads."""

    def __init__(self) -> None:
        self._flying: dict[str, _Flight] = {}
        self._lock = threading.Lock()

    def fetch(
        self, name: str, fetch: Callable[[], Page], *, stamp: VersionStamp | None, budget: Budget, left_from: float
    ) -> Page:
        """Fetch a page, or wait for the one that another thread is fetching.

        A flight is joined only if it left with all the writes that this read knows of. Failures are
        not shared: they may be due to the other request's tokens or time.

        :param name: the page's, in its user's namespace.
        :param stamp: of this read; without one nothing is shared.
        :param left_from: only a flight that left at this moment or later is joined, in monotonic seconds: `ANY_FLIGHT`,
            or `NO_FLIGHT` for a read that must leave now.
        """
        if stamp is None:
            return fetch()
        own = _Flight(stamp)
        with self._lock:
            other = self._flying.get(name)
            if other is None or not other.may_be_joined(stamp, left_from=left_from):
                other = None
                self._flying[name] = own
        if other is not None:
            try:
                return other.landing.result(timeout=budget.remaining())
            except (Exception, CancelledError, FutureTimeoutError):  # noqa: BLE001  whatever ended it was its own
                return fetch()
        return self._lead(name, own, fetch)

    def _lead(self, name: str, own: _Flight, fetch: Callable[[], Page]) -> Page:
        try:
            page = fetch()
        except BaseException as error:
            own.landing.set_exception(error)
            raise
        else:
            own.landing.set_result(page)
            return page
        finally:
            with self._lock:
                if self._flying.get(name) is own:
                    del self._flying[name]


class NoFlights(Flights):
    """Every read fetches for itself."""

    def fetch(
        self, name: str, fetch: Callable[[], Page], *, stamp: VersionStamp | None, budget: Budget, left_from: float
    ) -> Page:
        """Fetch it."""
        del name, stamp, budget, left_from
        return fetch()


def _knows(theirs: VersionStamp, ours: VersionStamp) -> bool:
    return theirs.generation == ours.generation and 0 <= theirs.position - ours.position <= MAX_RECORDS
