"""What a child process must begin anew: threads do not survive a fork, and what they held stays held for ever.

A lock that another thread holds at the moment of the fork is never released in the child, and what another thread
was doing is never finished there. Whoever keeps such things for the life of a process names them here.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING
from weakref import WeakMethod

if TYPE_CHECKING:
    from collections.abc import Callable

_begins: set[WeakMethod[Callable[[], None]]] = set()


def begin_anew_in_child(begin: Callable[[], None]) -> None:
    """Have `begin` called in every child process, before anything else of Python's runs there.

    :param begin: a bound method; it is forgotten with its object, and it must not raise.
    """
    _begins.add(WeakMethod(begin, _begins.discard))


class ForkSafeLock:
    """A `threading.Lock` that nobody holds in a child process. Whoever holds it must not fork."""

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        self._begin_anew()
        begin_anew_in_child(self._begin_anew)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def _begin_anew(self) -> None:
        self._lock = threading.Lock()


def _after_fork_in_child() -> None:
    # A set changes in one step of the interpreter: the fork found it whole.
    for reference in list(_begins):
        begin = reference()
        if begin is not None:
            begin()


os.register_at_fork(after_in_child=_after_fork_in_child)
