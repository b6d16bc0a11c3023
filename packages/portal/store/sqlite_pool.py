"""Connections to one SQLite file, shared by the threads of a process and never carried over a fork.

A connection that was opened before a fork must neither be used nor closed in the child, so a fork finds none
open. A file that was replaced (recovered after damage, or removed by hand) is noticed before the next use.
"""

from __future__ import annotations

import atexit
import os
import time
import weakref
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from portal.errors import StoreUnavailableError
from portal.forks import ForkSafeLock, begin_anew_in_child

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator
    from pathlib import Path

#: Idle connections that a process keeps open; more are made under load and closed afterwards.
MAX_IDLE: Final = 16
#: How often a file is opened that is replaced meanwhile; the first time is the one that makes it.
OPENINGS: Final = 5
#: How long a fork waits for operations in flight, and how often it looks, seconds.
FORK_PATIENCE_S: Final = 10.0
FORK_PAUSE_S: Final = 0.001


@dataclass(eq=False, slots=True)
class _Line:
    """A connection, and device and inode of its file; without both while it is being opened."""

    connection: sqlite3.Connection | None = None
    identity: tuple[int, int] | None = None

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()


class SqlitePool:
    """The process's connections to the file at `path`, made by `connect` and lent one at a time."""

    def __init__(self, path: Path, connect: Callable[[], sqlite3.Connection]) -> None:
        self._path = path
        self._connect = connect
        self._idle: list[_Line] = []
        self._lent: set[_Line] = set()
        self._inherited: list[object] = []
        self._gate = ForkSafeLock()
        begin_anew_in_child(self, SqlitePool._begin_anew)
        with _making:
            _pools.add(self)

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection to the file that stands at `path` now; it is closed if the block raises.

        :raises StoreUnavailableError: the file is replaced faster than it can be opened.
        """
        with self._gate:
            line = self._take()
            self._lent.add(line)
        try:
            # Behind the gate, which every thread and every fork has to pass: another process may be making the file.
            yield line.connection or self._open(line)
        except BaseException:
            line.close()
            raise
        else:
            if len(self._idle) < MAX_IDLE:
                self._idle.append(line)
            else:
                line.close()
        finally:
            self._lent.discard(line)

    def close_idle(self) -> None:
        """Close what is not in use; the next use opens again."""
        with self._gate:
            self._close_all_idle()

    def shut(self, until: ExitStack) -> None:
        """Lend nothing more `until` a fork is over, wait until no connection is in use, and close them all.

        SQLite shares its locks between the connections of a process: what is locked at the fork would stay
        locked in the child for ever.
        """
        until.enter_context(self._gate)
        end = time.monotonic() + FORK_PATIENCE_S
        while self._lent and time.monotonic() < end:
            time.sleep(FORK_PAUSE_S)
        self._close_all_idle()

    def _begin_anew(self) -> None:
        # Whatever connection of the parent could not be closed is left alone, for good.
        self._inherited.append(self._lent)
        self._lent = set()

    def _close_all_idle(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def _take(self) -> _Line:
        """An idle connection to the file of now; an empty line where there is none."""
        current = self._identity()
        while self._idle:
            line = self._idle.pop()
            if line.identity == current:
                return line
            line.close()
        return _Line()

    def _open(self, line: _Line) -> sqlite3.Connection:
        """Open the file that stands at `path` before and after it is opened: between, it may be replaced."""
        for _ in range(OPENINGS):
            line.identity = self._identity()
            line.connection = self._connect()
            if line.identity is not None and line.identity == self._identity():
                return line.connection
            line.close()
        raise StoreUnavailableError(f"{self._path.name} is being replaced again and again")

    def _identity(self) -> tuple[int, int] | None:
        """Device and inode of the file at `path`; None where there is none."""
        try:
            status = os.stat(self._path)  # noqa: PTH116  half the time of Path.stat, on every operation
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino


_pools: weakref.WeakSet[SqlitePool] = weakref.WeakSet()
_making = ForkSafeLock()


def close_idle_connections() -> None:
    """Close every pool's idle connections: at exit, and between tests."""
    for pool in list(_pools):
        pool.close_idle()


_shut = ExitStack()


def _before_fork() -> None:
    # No pool is made meanwhile, which would open a connection that nobody closes.
    _shut.enter_context(_making)
    for pool in list(_pools):
        pool.shut(until=_shut)


def _after_fork_in_parent() -> None:
    _shut.close()


def _after_fork_in_child() -> None:
    # Nobody holds these locks any more, so there is nothing to leave.
    _shut.pop_all()


atexit.register(close_idle_connections)
os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
