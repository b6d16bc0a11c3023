"""Files that a process writes at the same time: each holds a thread for as long as it lasts."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from fork_safety import ForkSafeLock, reset_after_fork
from portal.config.limits import EXPORTS_PER_PROCESS, EXPORTS_PER_USER


class Refusal(Enum):
    """Why there is no slot."""

    #: The user has as many files as one may have.
    OWN = "own"
    #: The process has as many files as it has threads for.
    PROCESS = "process"


@dataclass(frozen=True, eq=False)
class ExportSlot:
    """The right to write one file."""

    user: str

    def release(self) -> None:
        """Give it back; nothing where it was given back before."""
        RUNNING.discard(self)


#: The files of this process.
RUNNING: Final = set[ExportSlot]()
reset_after_fork(ExportSlot, lambda _: RUNNING.clear())
_lock: Final = ForkSafeLock()


def take_slot(user: str) -> ExportSlot | Refusal:
    """Return a slot for a file of this user.

    :param user: tells users apart, and reveals none.
    """
    with _lock:
        if len(RUNNING) >= EXPORTS_PER_PROCESS:
            return Refusal.PROCESS
        if sum(running.user == user for running in list(RUNNING)) >= EXPORTS_PER_USER:
            return Refusal.OWN
        RUNNING.add(slot := ExportSlot(user))
        return slot
