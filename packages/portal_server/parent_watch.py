"""A parent and its workers watch each other: a worker ends with its parent, and one that hangs is known to it.

A thread of each worker counts the seconds in memory that both share. It is a Python thread: where it gets no turn, no
request does. A worker whose threads all wait for a slow backend counts on.
"""

import mmap
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias

#: Seconds between looks at whether the parent process still lives.
PARENT_WATCH_INTERVAL_S = 0.5


def end_with_process(parent: int, *, before: Callable[[], None] = lambda: None) -> None:
    """Send this process SIGTERM when `parent`, the process that started it, has ended, also if it was killed.

    :param before: called first.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_WATCH_INTERVAL_S)
        before()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="watch-parent", daemon=True).start()


#: Seconds between two beats, and between two looks of the parent.
BEAT_INTERVAL_S: Final = 1.0
#: Seconds without a beat after which a worker is killed (contract, section 8); and while its server stops: it keeps the
#: port, and no request of it ends.
SILENCE_LIMIT_S: Final = 30
STOPPING_SILENCE_LIMIT_S: Final = 5


#: Instead of which other worker one runs: none at the server's start, one that has ended, one that was killed.
InsteadOf: TypeAlias = Literal["none", "ended", "hung"]


class ThisProcess:
    """A worker's knowledge of itself and of the others.

    :cvar number: its place among the workers of its server.
    :cvar pids: the process ids of all of them, by number. Their parent writes them.
    """

    number = 0
    instead_of: InsteadOf = "none"
    pids: Sequence[int] = ()


class Heartbeat:
    """One worker's. The parent makes it before it forks that worker."""

    def __init__(self) -> None:
        # An octet, which goes round: nothing can read half of it.
        self._beats = mmap.mmap(-1, 1)
        self._seen = self._beats[0]
        self._silent_looks = 0

    def begin(self) -> None:
        """In the worker: beat until it ends."""
        # The signals are for other threads, which the worker may start after this one.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        threading.Thread(target=self._beat, name="heartbeat", daemon=True).start()
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def _beat(self) -> None:
        while True:
            self._beats[0] = (self._beats[0] + 1) % 256
            time.sleep(BEAT_INTERVAL_S)

    def look(self, limit_s: float) -> bool:
        """In the parent, once every :data:`BEAT_INTERVAL_S`: whether the worker was silent for so long.

        Looks are counted, and no time: after a pause of the whole machine all workers would seem silent.
        """
        beats = self._beats[0]
        self._silent_looks = 0 if beats != self._seen else self._silent_looks + 1
        self._seen = beats
        return self._silent_looks * BEAT_INTERVAL_S >= limit_s
