"""How many files are written at the same time: each holds a thread of its process for as long as it lasts.

A user's files are counted in the store, for all processes. Each has a lease there, which names its owner; a file whose
process has died, or whose browser takes nothing, counts no longer than that. If another file has taken the slot
meanwhile, the first one ends when it goes on, and leaves the other's lease alone. Where the store does not answer, the
limit of the process remains.
"""

from __future__ import annotations

import logging
import secrets
from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING, Final

from fork_safety import ForkSafeLock, reset_after_fork
from portal.config.limits import EXPORT_LEASE_S, EXPORTS_PER_PROCESS, EXPORTS_PER_USER
from portal.errors import SlotLostError, StoreUnavailableError
from portal.store import query_store

if TYPE_CHECKING:
    from portal.store import SharedStore

logger = logging.getLogger(__name__)

_PREFIX: Final = "export"


class Refusal(Enum):
    """Why there is no slot."""

    #: The user has as many files as one may have.
    OWN = "own"
    #: The process has as many files as it has threads for.
    PROCESS = "process"


class _Running:
    """The files of this process."""

    count: int

    def __init__(self) -> None:
        self._lock = ForkSafeLock()
        self._reset()
        reset_after_fork(self, _Running._reset)

    def begin(self) -> bool:
        """Count one more; False if there are enough."""
        with self._lock:
            is_free = self.count < EXPORTS_PER_PROCESS
            self.count += is_free
            return is_free

    def end(self) -> None:
        """Count one less."""
        with self._lock:
            self.count = max(0, self.count - 1)

    def _reset(self) -> None:
        self.count = 0


RUNNING: Final = _Running()


class ExportSlot:
    """The right to write one file.

    :param key: of the lease in the store; empty where the store did not answer.
    :param owner: the value of the lease, which no other file has.
    """

    def __init__(self, *, store: SharedStore, key: str, owner: str) -> None:
        self._store = store
        self._key = key
        self._owner = owner
        self._is_held = True

    def renew(self) -> None:
        """Begin the lease anew, also where it has ended and nobody has taken the slot.

        :raises SlotLostError: another file has taken it.
        """
        if not (self._key and self._is_held):
            return
        with suppress(StoreUnavailableError):
            if not self._renewed():
                raise SlotLostError("another file has its slot")

    def release(self) -> None:
        """Give it back; nothing where it was given back before. Another file's lease stays."""
        if not self._is_held:
            return
        self._is_held = False
        RUNNING.end()
        if self._key:
            with suppress(StoreUnavailableError):
                # A lease that begins anew can't end, and be another's, before it is deleted.
                if self._renewed():
                    self._store.delete(self._key)

    def _renewed(self) -> bool:
        """Begin the lease anew; False if it is another file's by now, whose time this has prolonged, and no more."""
        if self._store.touch(self._key, lifetime_s=EXPORT_LEASE_S):
            return bool(self._store.get(self._key) == self._owner)
        # It has ended, or the store has lost it.
        return self._store.add(self._key, self._owner, lifetime_s=EXPORT_LEASE_S)


def take_slot(user: str) -> ExportSlot | Refusal:
    """A slot for a file of this user.

    :param user: tells users apart, and reveals none.
    """
    if not RUNNING.begin():
        return Refusal.PROCESS
    store, owner = query_store(), secrets.token_hex(8)
    try:
        keys = (f"{_PREFIX}:{user}:{number}" for number in range(EXPORTS_PER_USER))
        key = next((each for each in keys if store.add(each, owner, lifetime_s=EXPORT_LEASE_S)), None)
    except StoreUnavailableError:
        logger.warning("the store does not answer: the files of one user are not counted")
        key = ""
    if key is None:
        RUNNING.end()
        return Refusal.OWN
    return ExportSlot(store=store, key=key, owner=owner)
