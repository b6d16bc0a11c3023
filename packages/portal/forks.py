"""What a child process must begin anew: threads do not survive a fork, and what they held stays held for ever.

A lock that another thread holds at the moment of the fork is never released in the child, and what another thread
was doing is never finished there. Whoever keeps such things for the life of a process names them here.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_begins: WeakKeyDictionary[Any, Callable[[Any], None]] = WeakKeyDictionary()


def begin_anew_in_child(owner: T, begin: Callable[[T], None]) -> None:
    """Have `begin(owner)` called in every child process, before anything else of Python's runs there.

    :param owner: an object that has one such function at most; this is forgotten with it.
    :param begin: an unbound method of it; it must not raise.
    """
    _begins[owner] = begin


class ForkSafeLock:
    """A `threading.Lock` that nobody holds in a child process. Whoever holds it must not fork."""

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        self._begin_anew()
        begin_anew_in_child(self, ForkSafeLock._begin_anew)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def _begin_anew(self) -> None:
        self._lock = threading.Lock()


def _after_fork_in_child() -> None:
    # The table changes in one step of the interpreter: the fork found it whole.
    for owner, begin in list(_begins.items()):
        begin(owner)


os.register_at_fork(after_in_child=_after_fork_in_child)
