"""Further tries after a failure (requirements, "Limits"; contract, section 8). Pure, but for the wait.

A failed query is tried twice more, a failed mutation once more, where another try can help. Waits: 100 ms,
doubling, with jitter; a `Retry-After` is honoured up to 2 s; the request's time budget is never passed.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from portal.config.limits import RETRY_AFTER_MAX_S, RETRY_BASE_DELAY_S, RETRY_STATUSES
from portal.errors import ApiError, ApiMalformedError, ApiUnavailableError, CircuitOpenError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

#: A wait is stretched or shortened by up to this part of itself, so that clients do not come back in step.
_JITTER = 0.25


class Budget(Protocol):
    """What is left of a request's time."""

    def remaining(self) -> float:
        """Seconds; zero or less when it is used up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """How calls are repeated.

    :param sleep: waits that many seconds.
    :param spread: gives a number from 0 to 1, for the jitter.
    """

    sleep: Callable[[float], None] = time.sleep
    spread: Callable[[], float] = random.random

    def run(
        self,
        attempt: Callable[[int], T],
        *,
        retries: int,
        budget: Budget,
        may_repeat: Callable[[ApiError], bool] = lambda _error: True,
    ) -> T:
        """Run `attempt` until it succeeds, or another try can't help or is not allowed.

        :param attempt: gets its number, from 1.
        :param retries: further tries after the first.
        :param may_repeat: a last word on whether this call may be sent again after this error.
        :raises ApiError: that of the last try which the backend was asked by.
        """
        number = 1
        earlier: ApiError | None = None
        while True:
            try:
                return attempt(number)
            except CircuitOpenError:
                if earlier is None:
                    raise
                # Of a write it may be true that it was not sent this time, and false that it was not sent.
                raise earlier from earlier.__cause__
            except ApiError as error:
                earlier = error
                if number > retries or not can_help(error) or not may_repeat(error):
                    raise
                wait = self.wait(number=number, error=error)
                if wait >= budget.remaining():
                    raise
            self.sleep(wait)
            number += 1

    def wait(self, *, number: int, error: ApiError) -> float:
        """Seconds between try `number` and the next."""
        backoff = RETRY_BASE_DELAY_S * 2.0 ** (number - 1) * (1 + _JITTER * (2 * self.spread() - 1))
        return max(backoff, min(error.retry_after or 0.0, RETRY_AFTER_MAX_S))


def can_help(error: ApiError) -> bool:
    """Whether another try may end otherwise: there was no answer, or its status says so."""
    if error.status is not None:
        return error.status in RETRY_STATUSES
    return isinstance(error, ApiUnavailableError) and not isinstance(error, ApiMalformedError | CircuitOpenError)
