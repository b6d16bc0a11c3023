"""How far the clocks of a store's server and of this machine differ: for `/metrics`, with a warning in the log.

Machines that share a store compare times that each has written by its own clock. A difference of more than a second
brings back lists without their user's own rows.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Final

from portal.errors import StoreUnavailableError
from portal.store.shared_store import query_store, refresh_store
from portal.store.size import STORE_LABEL
from portal.store.survey import read_nature
from portal.telemetry.metrics import Readings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from portal.store.shared_store import SharedStore

logger = logging.getLogger(__name__)

#: How often the store is asked, and the difference that is worth a line, seconds.
ASK_EVERY_S: Final = 60.0
WARN_FROM_S: Final = 1.0


class ClockWatch:
    """Compares the clocks once a minute, when somebody asks. An embedded store has this machine's clock.

    :param clock: seconds, monotonic.
    """

    def __init__(self, stores: Iterable[SharedStore], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._stores = tuple(stores)
        self._clock = clock
        self._asked_at = float("-inf")
        self._ahead: dict[str, float] = {}

    def ahead_s(self) -> dict[str, float]:
        """How far the clock of each store's server is ahead of this machine's, by the store's alias."""
        now = self._clock()
        if now - self._asked_at >= ASK_EVERY_S:
            # Other threads get what was known before: they do not wait for a store that hangs.
            self._asked_at = now
            self._ahead = dict(self._compared())
        return self._ahead

    def _compared(self) -> Iterable[tuple[str, float]]:
        for store in self._stores:
            try:
                # A store that does not answer has failed here already, and is asked nothing more.
                ahead = None if store.size() is None else read_nature(store).clock_ahead_s
            except StoreUnavailableError as error:
                logger.debug("store %r: the time of its server is unknown: %s", store.alias, error)
                continue
            if ahead is None:
                continue
            if abs(ahead) >= WARN_FROM_S:
                logger.warning("store %r: its server's clock is %+.1f s ahead of this machine's", store.alias, ahead)
            yield store.alias, ahead


_watch: Final = ClockWatch((query_store(), refresh_store()))

Readings(
    "portal_store_clock_ahead_seconds",
    "How far Redis's clock is ahead of this machine's.",
    labels=[STORE_LABEL],
    read=lambda: [([alias], ahead) for alias, ahead in _watch.ahead_s().items()],
)
