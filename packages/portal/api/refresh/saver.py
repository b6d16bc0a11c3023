"""Offers the outcome of an attempt to a store that fails, until the store takes it.

Meanwhile the requests of this process get the outcome. If nothing was submitted, they first wait for the store: for as
long as its outage may be a failover. When Redis's primary dies, Sentinels need some seconds to name another one, and a
restarted Redis needs about as long. An attempt that waits for it spares its user a 503. But a waiting attempt holds a
thread of its server. So the seconds are counted from the beginning of the outage, for all attempts of the process: once
they have passed, none waits.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fork_safety import ForkSafeLock, reset_after_fork
from portal.api.metrics import RefreshOutcome
from portal.api.refresh.sealing import log_name
from portal.config.limits import REFRESH_STORE_WAIT_S
from portal.errors import StoreUnavailableError
from portal.process import Deadline

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.api.metrics import CountsRefreshes
    from portal.api.refresh.results import RefreshResult
    from portal.process import Clock, SharedCall

logger = logging.getLogger(__name__)

#: How long an outcome is offered to a store that fails, and the pause between two offers, seconds.
SAVE_FOR_S: Final = 600.0
SAVE_PAUSE_S: Final = 0.25


class StoreOutage:
    """Since when the store has failed this process's attempts. Safe for threads."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._lock = ForkSafeLock()
        self._reset()
        reset_after_fork(self, StoreOutage._reset)

    def _reset(self) -> None:
        self._began: float | None = None
        self._seen: float = 0.0

    def may_pass(self) -> bool:
        """Note a failure of the store; whether to wait for its end.

        A failure long after the last one begins another outage: meanwhile nobody has asked.
        """
        now = self._clock.monotonic()
        with self._lock:
            if self._began is None or now - self._seen > REFRESH_STORE_WAIT_S:
                self._began = now
            self._seen = now
            return now - self._began < REFRESH_STORE_WAIT_S

    def over(self) -> None:
        """Note that the store has taken a write."""
        self._began = None


@dataclass(slots=True)
class OutcomeSaver:
    """See the module. One for each attempt.

    :ivar published: whether the waiting requests have a result.
    """

    shared_call: SharedCall[RefreshResult]
    outage: StoreOutage
    clock: Clock
    counters: CountsRefreshes
    published: bool = False

    def save(self, token: str, save: Callable[[], RefreshResult], result: RefreshResult) -> RefreshResult | None:
        """Call `save` until the store takes it; gives what it gives.

        :returns: None if nothing was submitted (`result` says so), and the store came back in time for another try.
        """
        waits = result.outcome is RefreshOutcome.STORE_DOWN and self.outage.may_pass()
        time_left = Deadline(SAVE_FOR_S, clock=self.clock.monotonic)
        while True:
            try:
                saved = save()
            except StoreUnavailableError as error:
                waits = waits and self.outage.may_pass()
                if not waits:
                    level, name = logging.DEBUG if self.published else logging.WARNING, log_name(token)
                    logger.log(level, "refresh %s: %s, not saved yet: %s", name, result.outcome.value, error)
                    self.publish(result, keep_joinable=True)
            else:
                return None if waits else saved
            if time_left.passed:
                logger.error("refresh %s: the store never took the outcome", log_name(token))
                return result
            self.clock.sleep(SAVE_PAUSE_S)

    def publish(self, result: RefreshResult, *, keep_joinable: bool = False) -> None:
        """Give the result to the waiting requests while the attempt goes on. Only the first result counts."""
        if not self.published:
            self.published = True
            self.shared_call.set_result(result, keep_joinable=keep_joinable)
            self.counters.count(result.outcome)
