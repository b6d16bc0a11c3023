"""Connections to one database file, shared by the threads of a process and never carried over a fork.

A child process must neither use nor close a connection that was opened before the fork. So a fork waits until no
connection is in use, and closes them all first. The pool also notices a file that was replaced, after damage or by
hand: before the next write, and within a moment (`LOOK_EVERY_S`) before a read.
"""

from __future__ import annotations

import atexit
import os
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fork_safety import ForkSafeLock, reset_after_fork
from sqlite_cache.errors import CacheUnavailableError

if TYPE_CHECKING:
    import sqlite3

#: A read looks this often whether the file is still the same, seconds; a write looks each time, since a lock in a file
#: that other processes have replaced is no lock. To look takes a microsecond, and gives Python's lock to other threads.
LOOK_EVERY_S: Final = 0.05
#: Idle connections that a pool keeps open. It opens more under load and closes them after use.
MAX_IDLE: Final = 16
#: Tries to open a file that is replaced during each try. The first try may make the file.
MAX_OPENINGS: Final = 5
#: Longest wait of a fork for connections in use, and pause between two looks, seconds.
FORK_WAIT_S: Final = 10.0
FORK_PAUSE_S: Final = 0.001


class Slot:
    """A connection that is lent.

    :ivar connection: set when it is open.
    :ivar identity: device and inode of its file; None until the connection is open.
    """

    __slots__ = ("connection", "identity")

    connection: sqlite3.Connection

    def __init__(self) -> None:
        self.identity: tuple[int, int] | None = None

    def close(self) -> None:
        """Close the connection, if it is open."""
        if self.identity is not None:
            self.identity = None
            self.connection.close()


class ConnectionPool:
    """The connections of this process to the file at `path`. Safe for threads.

    :param connect: opens one connection.
    :ivar clock: monotonic seconds.
    """

    def __init__(self, path: Path, connect: Callable[[], sqlite3.Connection]) -> None:
        self.clock = time.monotonic
        self._path = path
        self._connect = connect
        self._idle: list[Slot] = []
        self._in_use: set[Slot] = set()
        self._inherited: list[object] = []
        self._lock = ForkSafeLock()
        self._current: tuple[int, int] | None = None
        self._next_look = float("-inf")
        reset_after_fork(self, ConnectionPool._reset)
        with _pools_lock:
            _pools.add(self)

    def take(self, *, may_lag: bool = False) -> Slot:
        """Lend an open connection to the file that is at `path` now. It ends with `give_back` or `discard`.

        :param may_lag: for a read: a file that was replaced less than `LOOK_EVERY_S` ago may be used.
        :raises CacheUnavailableError: the file is replaced faster than it can be opened.
        """
        # Without the lock: to look gives up Python's lock, and every thread and every fork would wait.
        current = self._current
        if not may_lag or self.clock() >= self._next_look:
            current = self._current = self._identity()
            self._next_look = self.clock() + LOOK_EVERY_S
        with self._lock:
            # By this thread's own look: another thread may have noted an older one since.
            slot = self._idle_slot(current)
            self._in_use.add(slot)
        if slot.identity is None:
            try:
                # Without the lock too: another process may be making the file.
                self._open(slot)
            except BaseException:
                self.discard(slot)
                raise
        return slot

    def give_back(self, slot: Slot) -> None:
        """End the use of a connection, which others may use now."""
        if len(self._idle) < MAX_IDLE:
            self._idle.append(slot)
        else:
            slot.close()
        self._in_use.discard(slot)

    def discard(self, slot: Slot) -> None:
        """End the use of a connection after an error, and close it."""
        slot.close()
        self._in_use.discard(slot)

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """:meth:`take` a connection for a block. The pool closes the connection if the block raises."""
        slot = self.take()
        try:
            yield slot.connection
        except BaseException:
            self.discard(slot)
            raise
        self.give_back(slot)

    def close_idle(self) -> None:
        """Close the connections that are not in use; the next use opens one again."""
        with self._lock:
            self._close_all_idle()

    def close_for_fork(self, held: ExitStack) -> None:
        """Take the lock into `held`, wait until no connection is in use, and close them all.

        The connections of a process share SQLite's file locks: a lock held at the fork would stay held in the child.

        :param held: gives the lock back after the fork.
        """
        held.enter_context(self._lock)
        end = time.monotonic() + FORK_WAIT_S
        while self._in_use and time.monotonic() < end:
            time.sleep(FORK_PAUSE_S)
        self._close_all_idle()

    def _reset(self) -> None:
        # Keep references to connections that the parent could not close in time: garbage collection would close them.
        self._inherited.append(self._in_use)
        self._in_use = set()

    def _close_all_idle(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def _idle_slot(self, current: tuple[int, int] | None) -> Slot:
        """An idle connection to the present file, or an empty slot."""
        while self._idle:
            slot = self._idle.pop()
            if slot.identity == current:
                return slot
            slot.close()
        return Slot()

    def _open(self, slot: Slot) -> None:
        """Open the file, and try again if it was replaced meanwhile."""
        for _ in range(MAX_OPENINGS):
            before = self._identity()
            slot.connection = self._connect()
            slot.identity = self._identity()
            if before is not None and slot.identity == before:
                self._current = before
                return
            slot.connection.close()
            slot.identity = None
        raise CacheUnavailableError(f"{self._path.name} is being replaced again and again")

    def _identity(self) -> tuple[int, int] | None:
        """Device and inode of the file at `path`; None where there is none."""
        try:
            status = os.stat(self._path)  # noqa: PTH116  half the time of Path.stat, on every operation
        except (FileNotFoundError, NotADirectoryError):
            return None
        return status.st_dev, status.st_ino


_pools: weakref.WeakSet[ConnectionPool] = weakref.WeakSet()
_pools_lock = ForkSafeLock()


def close_idle_connections() -> None:
    """Close the idle connections of all pools: at the end of the process, and between tests."""
    for pool in list(_pools):
        pool.close_idle()


_held_by_fork = ExitStack()


def _before_fork() -> None:
    # The lock keeps other threads from making a pool, whose connections the fork would not close.
    _held_by_fork.enter_context(_pools_lock)
    for pool in list(_pools):
        pool.close_for_fork(_held_by_fork)


def _after_fork_in_parent() -> None:
    _held_by_fork.close()


def _after_fork_in_child() -> None:
    # The child's locks are new and free: nothing is to be released.
    _held_by_fork.pop_all()


atexit.register(close_idle_connections)
os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
