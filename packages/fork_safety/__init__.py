"""Keeps the locks and the state of a process usable after `os.fork`.

A child process has only the thread that called `fork`. A lock that another thread held at that moment stays locked in
the child for ever, and the work of that thread is never finished there. An object that keeps such a lock or such work
for the life of the process registers a function here, and the child calls it before it runs anything else of Python.

    ForkSafeLock            a lock that is free in a child process
      └ reset_after_fork    registers an object's reset for child processes
"""

import os
import threading
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

__all__ = ["ForkSafeLock", "reset_after_fork"]

T = TypeVar("T")

_resets: WeakKeyDictionary[Any, Callable[[Any], None]] = WeakKeyDictionary()


def reset_after_fork(owner: T, reset: Callable[[T], None]) -> None:
    """Have `reset(owner)` called in every child process, before any other Python code runs there.

    :param owner: an object with one reset at most. The registration does not keep the object alive.
    :param reset: an unbound method of `owner`; it must not raise.
    """
    _resets[owner] = reset


def ForkSafeLock() -> threading.Lock:  # noqa: N802  a factory, named like `threading.Lock`
    """A `threading.Lock` that is free in every child process. A thread that holds it must not fork."""
    lock = threading.Lock()
    # Python's own modules reset their locks with this method: `threading`, `logging`, `concurrent.futures`.
    reset_after_fork(lock, type(lock)._at_fork_reinit)  # type: ignore[attr-defined]  # noqa: SLF001
    return lock


def _after_fork_in_child() -> None:
    # Another thread may have been adding an owner, but the interpreter adds one in a single step: the table is whole.
    for owner, reset in list(_resets.items()):
        reset(owner)


os.register_at_fork(after_in_child=_after_fork_in_child)
