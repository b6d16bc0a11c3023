"""Whether the stores take writes, for `/readyz`: tried for real, at a bounded cost."""

import os
import time
from collections.abc import Callable, Iterable
from typing import Final

from django.core.signals import setting_changed

from fork_safety import ForkSafeLock
from portal.errors import StoreUnavailableError
from portal.store.shared_store import SharedStore, query_store, refresh_store
from sqlite_cache import SQLiteCache

#: An answer that is older is asked anew, seconds.
ANSWER_TTL_S: Final = 1.0
#: The least room that the disk of an embedded store needs, bytes. With less, a write of one key may still find room in
#: SQLite's journal, while that of a page of data does not.
MIN_FREE_BYTES: Final = 1024 * 1024
_KEY: Final = "readiness"
_LIFETIME_S: Final = 60


class Readiness:
    """Writes one small key to each store (of a cluster, to each primary), at most once a second in a process.

    Safe for threads: they share the answer.

    :param clock: seconds, monotonic.
    """

    def __init__(self, stores: Iterable[SharedStore], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._stores = tuple(stores)
        self._clock = clock
        self._lock = ForkSafeLock()
        self._asked_at = float("-inf")
        self._fault: StoreUnavailableError | None = None

    def check(self) -> None:
        """Return if all stores take writes.

        :raises StoreUnavailableError: one does not, and why.
        """
        with self._lock:
            if self._clock() - self._asked_at >= ANSWER_TTL_S:
                self._fault = self._ask()
                self._asked_at = self._clock()
            fault = self._fault
        if fault is not None:
            raise StoreUnavailableError(str(fault)) from fault.__cause__

    def forget(self) -> None:
        """Ask anew at the next call."""
        self._asked_at = float("-inf")

    def _ask(self) -> StoreUnavailableError | None:
        try:
            for store in self._stores:
                for key in store.everywhere(_KEY):
                    store.set(key, 1, lifetime_s=_LIFETIME_S)
                # An embedded store at its limit still takes that key, since results are set; it refuses new locks.
                store.check_room()
                _check_disk(store)
        except StoreUnavailableError as error:
            return error
        return None


def _check_disk(store: SharedStore) -> None:
    backend = store.backend()
    if not isinstance(backend, SQLiteCache):
        return
    disk = os.statvfs(backend.path.parent)
    if disk.f_bavail * disk.f_frsize < MIN_FREE_BYTES:
        raise StoreUnavailableError(f"store {store.alias!r}: its disk is full")


_readiness: Final = Readiness((query_store(), refresh_store()))


def check_readiness() -> None:
    """Return if both stores of this process take writes; the answer is at most a second old.

    :raises StoreUnavailableError: one does not, and why.
    """
    _readiness.check()


def _on_setting_changed(*, setting: str, **_: object) -> None:
    if setting == "CACHES":
        _readiness.forget()


setting_changed.connect(_on_setting_changed, dispatch_uid="portal.store.readiness")
