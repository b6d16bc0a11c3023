"""Connections to one SQLite file, shared by the threads of a process and never carried over a fork.

A connection that was opened before a fork must neither be used nor closed in the child, so a fork finds none
open. A file that was replaced (recovered after damage, or removed by hand) is noticed before the next use.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator
    from pathlib import Path

#: Idle connections that a process keeps open; more are made under load and closed afterwards.
MAX_IDLE: Final = 16
#: How long a fork waits for operations in flight, and how often it looks, seconds.
FORK_PATIENCE_S: Final = 10.0
FORK_PAUSE_S: Final = 0.001


class SqlitePool:
    """The process's connections to the file at `path`, made by `connect` and lent one at a time."""

    def __init__(self, path: Path, connect: Callable[[], sqlite3.Connection]) -> None:
        self._path = path
        self._connect = connect
        self._idle: list[tuple[tuple[int, int] | None, sqlite3.Connection]] = []
        self._lent: set[sqlite3.Connection] = set()
        self._inherited: list[object] = []
        self._gate = threading.Lock()
        _pools.add(self)

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection to the file that stands at `path` now; it is closed if the block raises."""
        with self._gate:
            identity, connection = self._take()
            self._lent.add(connection)
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        else:
            if len(self._idle) < MAX_IDLE:
                self._idle.append((identity, connection))
            else:
                connection.close()
        finally:
            self._lent.discard(connection)

    def close_idle(self) -> None:
        """Close what is not in use; the next use opens again."""
        with self._gate:
            self._close_all_idle()

    def before_fork(self) -> None:
        """Wait until no connection is in use, and close them all.

        SQLite shares its locks between the connections of a process: what is locked at the fork would stay
        locked in the child for ever. The gate stays shut until the fork is over.
        """
        self._gate.acquire()
        end = time.monotonic() + FORK_PATIENCE_S
        while self._lent and time.monotonic() < end:
            time.sleep(FORK_PAUSE_S)
        self._close_all_idle()

    def after_fork_in_parent(self) -> None:
        """Open the gate again."""
        self._gate.release()

    def after_fork_in_child(self) -> None:
        """Leave alone, for good, whatever connection of the parent could not be closed."""
        self._inherited.append(self._lent)
        self._lent, self._gate = set(), threading.Lock()

    def _close_all_idle(self) -> None:
        while self._idle:
            self._idle.pop()[1].close()

    def _take(self) -> tuple[tuple[int, int] | None, sqlite3.Connection]:
        current = self._identity()
        while self._idle:
            identity, connection = self._idle.pop()
            if identity == current:
                return identity, connection
            connection.close()
        connection = self._connect()
        return self._identity(), connection

    def _identity(self) -> tuple[int, int] | None:
        """Device and inode of the file at `path`; None where there is none."""
        try:
            status = os.stat(self._path)  # noqa: PTH116  half the time of Path.stat, on every operation
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino


_pools: weakref.WeakSet[SqlitePool] = weakref.WeakSet()


def close_idle_connections() -> None:
    """Close every pool's idle connections: at exit, and between tests."""
    for pool in list(_pools):
        pool.close_idle()


_shut: list[SqlitePool] = []


def _before_fork() -> None:
    # Pools live as long as the process; one that is made meanwhile has no connection yet.
    for pool in list(_pools):
        pool.before_fork()
        _shut.append(pool)


def _after_fork_in_parent() -> None:
    while _shut:
        _shut.pop().after_fork_in_parent()


def _after_fork_in_child() -> None:
    while _shut:
        _shut.pop().after_fork_in_child()


atexit.register(close_idle_connections)
os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
