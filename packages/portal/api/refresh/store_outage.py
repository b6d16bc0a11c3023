"""How long refreshes wait for a store that fails: for the first seconds of an outage.

When Redis's primary dies, Sentinels need some seconds to name another one, and a restarted Redis needs about as long.
An attempt that waits for it spares its user a 503. But a waiting attempt holds a thread of its server. So the seconds
are counted from the beginning of the outage, for all attempts of the process: once they have passed, none waits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fork_safety import ForkSafeLock, reset_after_fork
from portal.config.limits import REFRESH_STORE_WAIT_S

if TYPE_CHECKING:
    from portal.process import Clock


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
