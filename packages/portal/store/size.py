"""How full a store is, and how far its clock is ahead, with a warning in the log; how its operations end."""

import logging
import time
from collections.abc import Callable
from enum import Enum
from typing import Final

from portal.errors import StoreUnavailableError
from portal.store.inspection import StoreServer
from portal.telemetry.metrics import OPERATION_BUCKETS_S, Counters, Label, Timings
from sqlite_cache import CacheBusyError, CacheFullError, SQLiteCacheError

STORE_LABEL: Final = Label(name="store", says="`default` has what is cached, `refresh` what token refreshes share")


class StoreFailure(Enum):
    """Why an operation of a store failed."""

    #: The store did not answer, or not in time.
    NO_ANSWER = "no answer"
    #: Nothing was sent: the circuit is open.
    CIRCUIT_OPEN = "circuit open"
    #: The store has no room.
    FULL = "full"
    #: Other processes write to the file at the moment.
    BUSY = "busy"
    #: The store answered that it refuses.
    REFUSED = "refused"


store_timings: Final = Timings(
    "portal_store_operation_duration_seconds",
    "Time of one operation of the shared store, also of a failed one; not of one that an open circuit refused.",
    labels=[STORE_LABEL],
    buckets=OPERATION_BUCKETS_S,
)
store_failures: Final = Counters(
    "portal_store_errors_total",
    "Operations of the shared store that failed, by cause.",
    labels=[STORE_LABEL, Label(name="cause", says="why it failed", values=list(StoreFailure))],
)


def failure_of(error: Exception) -> StoreFailure:
    """Why an operation failed that raised this."""
    if isinstance(error, CacheFullError):
        return StoreFailure.FULL
    if isinstance(error, CacheBusyError):
        return StoreFailure.BUSY
    if isinstance(error, SQLiteCacheError):
        return StoreFailure.NO_ANSWER
    from redis.exceptions import OutOfMemoryError, ResponseError  # noqa: PLC0415  the embedded store never imports redis

    if isinstance(error, OutOfMemoryError):
        return StoreFailure.FULL
    return StoreFailure.REFUSED if isinstance(error, ResponseError) else StoreFailure.NO_ANSWER


def is_no_number(error: Exception) -> bool:
    """Whether a backend refused to add to a value because it is no whole number."""
    return isinstance(error, TypeError) or (
        "not an integer" in str(error) and failure_of(error) is StoreFailure.REFUSED
    )


logger = logging.getLogger(__name__)

#: A size that is older is asked again, seconds.
SIZE_TTL_S: Final = 10.0
#: A process that writes looks at the size this often, seconds.
LOOK_EVERY_S: Final = 60.0
#: The share of the limit at which the log first warns, and the step to each further warning. After the share has
#: fallen a step below the first one, the warnings start again.
WARN_FROM: Final = 0.7
WARN_STEP: Final = 0.1
#: Machines that share a store compare times that each has written by its own clock. A difference that is worth a line,
#: seconds: two bring back lists without their user's own rows.
SKEW_WARN_FROM_S: Final = 1.0
_MB: Final = 1024 * 1024


class SizeWatch:
    """Remembers the size of one store for some seconds. Safe for threads: one of them asks at a time.

    :param alias: names the store in the log.
    :param ask: gives the size, or raises `StoreUnavailableError`.
    :param clock: seconds, monotonic.
    """

    def __init__(
        self, *, alias: str, ask: Callable[[], StoreServer], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._alias = alias
        self._ask = ask
        self._clock = clock
        self._size: StoreServer | None = None
        self._asked_at: float | None = None
        self._next_look = clock() + LOOK_EVERY_S
        self._warn_from = WARN_FROM
        self._skew_line_at = float("-inf")

    def size(self) -> StoreServer | None:
        """The size, some seconds old at most; None where it is unknown."""
        now = self._clock()
        if self._asked_at is None or now - self._asked_at >= SIZE_TTL_S:
            # Other threads get None while this one asks: they do not wait for a store that hangs.
            self._asked_at = now
            self._size = None
            self._look()
        return self._size

    def after_write(self) -> None:
        """Look at the size if the last look was long ago, because writes fill a store."""
        now = self._clock()
        if now >= self._next_look:
            self._next_look = now + LOOK_EVERY_S
            self.size()

    def _look(self) -> None:
        try:
            self._size = size = self._ask()
        except StoreUnavailableError as error:
            logger.debug("the size of a store is unknown: %s", error)
            return
        self._warn_of_skew(size.clock_ahead_s or 0.0)
        share = size.share
        if share < WARN_FROM - WARN_STEP:
            self._warn_from = WARN_FROM
        if share < self._warn_from:
            return
        while self._warn_from <= share:
            self._warn_from += WARN_STEP
        logger.warning(
            "store %r is %.0f%% full: %.0f of %.0f MB",
            self._alias,
            100 * share,
            (size.used or 0) / _MB,
            (size.limit or 0) / _MB,
        )

    def _warn_of_skew(self, ahead_s: float) -> None:
        now = self._clock()
        if abs(ahead_s) >= SKEW_WARN_FROM_S and now >= self._skew_line_at:
            self._skew_line_at = now + LOOK_EVERY_S
            logger.warning("store %r: its server's clock is %+.1f s ahead of this machine's", self._alias, ahead_s)
