"""Counters that end by themselves, in the shared store: a storage for the `limits` library.

Its fixed windows need three things of a store: add to a number, read it, know when it ends. `SharedStore` counts
across threads, processes and machines; what it can't say is a key's end, so that is kept beside the number.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from limits.storage import Storage

from portal.errors import StoreUnavailableError, UsageError
from portal.store.aliases import MISSING

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.store.aliases import SharedStore


class SharedCounters(Storage):
    """See the module. Methods raise :class:`~portal.errors.StoreUnavailableError`; none is retried.

    :param clock: seconds since the epoch.
    """

    STORAGE_SCHEME = ["portal"]  # noqa: RUF012  the library's own declaration, by which it registers storages

    def __init__(self, *, store: SharedStore, clock: Callable[[], float] = time.time) -> None:
        super().__init__()
        self._store = store
        self._clock = clock

    @property
    def base_exceptions(self) -> type[Exception]:
        """What the library may wrap; it is not asked to."""
        return StoreUnavailableError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Add to the counter; the first to do so begins its window of `expiry` seconds. A later one moves no end.

        Taking from a counter that has ended changes nothing.
        """
        for _ in range(2):
            count = self._store.incr(key, amount)
            if count is not MISSING:
                if count == amount > 0:
                    # Nothing was counted before it. On Redis the counter may even have ended while it was added to,
                    # which makes one without an end (Django asks for the key, then adds): it begins a window here.
                    self._begin_window(key, expiry)
                    self._store.touch(key, lifetime_s=expiry)
                return count
            if amount < 0:
                return 0
            # The end first: a counter that is there has one, or its reader takes a whole window for it.
            self._begin_window(key, expiry)
            if self._store.add(key, amount, lifetime_s=expiry):
                return amount
        # Twice gone and back in between: a window ended, and others begin the next one at this very moment.
        return amount

    def _begin_window(self, key: str, expiry: int) -> None:
        self._store.set(_end_of(key), self._clock() + expiry, lifetime_s=expiry)

    def get(self, key: str) -> int:
        """The counter, 0 where there is none."""
        count = self._store.get(key)
        return count if isinstance(count, int) else 0

    def get_expiry(self, key: str) -> float:
        """When the counter ends, in seconds since the epoch; now, where that is not known."""
        end = self._store.get(_end_of(key))
        return float(end) if isinstance(end, int | float) else self._clock()

    def check(self) -> bool:
        """Whether the store answers."""
        try:
            self._store.get("counters")
        except StoreUnavailableError:
            return False
        return True

    def reset(self) -> int | None:
        """Refused: the store holds more than counters, and nobody clears it.

        :raises UsageError: always.
        """
        raise UsageError("counters end by themselves: clear() one of them instead")

    def clear(self, key: str) -> None:
        """Forget one counter."""
        self._store.delete_many([key, _end_of(key)])


def _end_of(key: str) -> str:
    return f"{key}:end"
