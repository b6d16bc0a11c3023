"""The files through which the workers of one server share their counts.

Workers share a port, so a scraper can't choose the one that it asks. `serve` sets `PROMETHEUS_MULTIPROC_DIR`, and
prometheus_client then keeps each number in a memory-mapped file of its process. The worker that is asked adds up the
files of all.

prometheus_client names the files by the process id. Then each worker that is replaced leaves its files behind, and the
folder grows for as long as the server runs. Here a process takes the lowest **slot** whose lock is free, and goes on
with the files of the process that had the slot before. So no sum falls when a worker dies, and there are as many files
as processes at one time. The kernel frees the lock of a process that dies in any way, and gives no lock to two.

Without the variable a process counts for itself, in memory.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from prometheus_client import metrics, values
from prometheus_client.multiprocess import mark_process_dead

from fork_safety import ForkSafeLock, reset_after_fork

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The library's own variable; it reads it when it is imported.
FOLDER_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
#: Room that a slot gets at once, in bytes, by kind of metric. On a full disk a memory-mapped file that grows ends its
#: process (SIGBUS). As many label values as the limits allow have room, as
#: tests/portal/telemetry/metrics/test_room_for_all.py tries.
FILE_BYTES: Final = {"counter": 1 << 20, "histogram": 1 << 21, "gauge_livesum": 1 << 16}
_LOCK_SUFFIX: Final = ".slot"
#: How often a process that starts tries a slot at which a scrape looks, and the pause between two tries, in seconds.
_TRIES: Final = 200
_PAUSE_S: Final = 0.001


class Slot:
    """The slot of this process. A child process takes its own.

    :param folder: private to this server.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._number: int | None = None
        self._lock: int | None = None
        reset_after_fork(self, Slot._leave)

    def number(self) -> int:
        """The number in the names of this process's files. The first call takes the slot."""
        if self._number is None:
            self._number, self._lock = self._take()
        return self._number

    def begin(self) -> None:
        """Note that this process serves, so that its memory and its time are measured."""
        self.number()
        if self._lock is not None:
            os.pwrite(self._lock, f"{os.getpid()}\n".encode(), 0)

    def _take(self) -> tuple[int, int]:
        # A cleaner of temporary files may have taken it from a server that runs for weeks.
        self.folder.mkdir(parents=True, exist_ok=True)
        for number in itertools.count():
            lock = os.open(self.folder / f"{number}{_LOCK_SUFFIX}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            if not _locked(lock):
                os.close(lock)
                continue
            os.ftruncate(lock, 0)
            # What the process before said of its present state ended with it.
            _forget_state(self.folder, number)
            for kind, size in FILE_BYTES.items():
                _reserve(self.folder / f"{kind}_{number}.db", size)
            return number, lock
        raise AssertionError("the numbers have no end")  # pragma: no cover

    def _leave(self) -> None:
        """In a child process: the slot is the parent's, and the parent's lock stays."""
        if self._lock is not None:
            os.close(self._lock)
        self._number = self._lock = None


def _locked(lock: int) -> bool:
    """Lock a slot for this process; False if it is another's.

    A process that looks at the slot holds its lock shared, for a moment; the one whose slot it is holds it alone.
    """
    for _ in range(_TRIES):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        fcntl.flock(lock, fcntl.LOCK_UN)
        time.sleep(_PAUSE_S)
    return False


def _reserve(file: Path, size: int) -> None:
    if file.exists():
        return
    fresh = file.with_suffix(".new")
    descriptor = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(descriptor, 0, size)
    finally:
        os.close(descriptor)
    # In one step: the library fails on a file that is there and has no octets yet.
    fresh.replace(file)


def _forget_state(folder: Path, number: int) -> None:
    # Another process that looks at the folder may be faster.
    with contextlib.suppress(FileNotFoundError):
        mark_process_dead(number, str(folder))  # type: ignore[no-untyped-call]  # the library has no types here


def forget_dead_workers(folder: Path) -> None:
    """Remove what processes that have ended said of their state. Their counts stay."""
    for lock, number in _slots(folder):
        # Held meanwhile: else a process that takes the slot now would lose the state that it has just written.
        with _held_if_free(lock) as is_free:
            if is_free:
                _forget_state(folder, number)


def living_workers(folder: Path) -> Iterator[tuple[int, int]]:
    """Slot and process id of each worker that serves now."""
    for lock, number in _slots(folder):
        text = lock.read_text().strip()
        with _held_if_free(lock) as is_free:
            pass
        if text and not is_free:
            yield number, int(text)


def _slots(folder: Path) -> Iterator[tuple[Path, int]]:
    files = {int(file.stem): file for file in folder.glob(f"*{_LOCK_SUFFIX}")}
    return ((files[number], number) for number in sorted(files))


@contextlib.contextmanager
def _held_if_free(lock: Path) -> Iterator[bool]:
    """Whether no process holds the lock. If so, this one does, shared; one that starts meanwhile waits for it."""
    with lock.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _shared_slot() -> Slot | None:
    """The slot of this process, if `serve` has made a folder; the library's values then use it."""
    # A thread that forks would leave the library's locks locked in the child.
    values.Lock = metrics.Lock = ForkSafeLock  # type: ignore[assignment]  # a factory, as `threading.Lock` is
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        return None
    slot = Slot(Path(folder))
    values.ValueClass = values.MultiProcessValue(process_identifier=slot.number)  # type: ignore[no-untyped-call]  # the library has no types here
    return slot


SLOT: Final = _shared_slot()
