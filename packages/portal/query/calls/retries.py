"""Further tries after a failed call (requirements, "Limits"; contract, section 8).

A failed query is tried twice more, a failed mutation once more, where another try can help. The waits: 100 ms,
doubling, with jitter. A `Retry-After` is honoured up to 2 s. The time budget of the request is never passed.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from portal.config.limits import RETRY_AFTER_MAX_S, RETRY_BASE_DELAY_S, RETRY_STATUSES
from portal.errors import ApiError, ApiMalformedError, ApiUnavailableError, CircuitOpenError, without_traceback

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.process import Deadline

#: A wait is longer or shorter by up to this part of itself, so that clients do not come back at the same time.
_JITTER: Final = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """How long to wait between tries.

    :param sleep: waits that many seconds.
    :param spread: a number from 0 to 1, for the jitter.
    """

    sleep: Callable[[float], None] = time.sleep
    spread: Callable[[], float] = random.random

    def wait(self, *, number: int, error: ApiError) -> float:
        """Seconds between try `number` and the next."""
        backoff = RETRY_BASE_DELAY_S * 2.0 ** (number - 1) * (1 + _JITTER * (2 * self.spread() - 1))
        return max(backoff, min(error.retry_after or 0.0, RETRY_AFTER_MAX_S))


@dataclass(slots=True, kw_only=True)
class Tries:
    """The tries of one call. The caller sends in a loop, and calls :meth:`wait` with each error.

    :param most: how often the call is sent at most.
    :ivar number: of the present try, from 1.
    """

    retries: Retries
    budget: Deadline
    most: int
    number: int = 1
    _earlier: ApiError | None = None

    def wait(self, error: ApiError, *, may_repeat: bool = True) -> None:
        """Wait until the next try.

        :param error: how the present try failed.
        :param may_repeat: whether this call may be sent again at all.
        :raises ApiError: there is no next try. It is the error of the last try that reached the backend.
        """
        if isinstance(error, CircuitOpenError) and self._earlier is not None:
            # This try was certainly not sent, but an earlier try of the same write may have been.
            raise self._earlier from self._earlier.__cause__
        if self.number >= self.most or not can_help(error) or not may_repeat:
            raise error
        wait = self.retries.wait(number=self.number, error=error)
        if wait >= self.budget.remaining():
            raise error
        self._earlier = without_traceback(error)
        self.retries.sleep(wait)
        self.number += 1


def can_help(error: ApiError) -> bool:
    """Whether another try may end otherwise: there was no response, or its status says so."""
    if error.status is not None:
        return error.status in RETRY_STATUSES
    return isinstance(error, ApiUnavailableError) and not isinstance(error, ApiMalformedError | CircuitOpenError)
