"""At most one piece of work at a time for each key in a process, finished even if nobody waits for it any more."""

from __future__ import annotations

import atexit
import contextvars
import logging
import threading
import time
import weakref
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from fork_safety import ForkSafeLock, reset_after_fork

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

logger = logging.getLogger(__name__)

#: A process that is asked to end waits this long for work in flight, seconds: less than it is given to end at all.
WAIT_AT_EXIT_S: Final = 2.5


class NoThreadError(Exception):
    """The work could not be begun: this process is given no more threads."""


class Flight(Generic[T]):
    """One piece of work in a thread of its own. Its result may land before the work is over.

    A flight that has landed is boarded no more, since what it found may have changed; unless it is held: then its
    result is all that there is, and the work that is left makes it known to others.
    """

    def __init__(self, *, on_landing: Callable[[], None]) -> None:
        self.over = threading.Event()
        self._result: Future[T] = Future()
        self._on_landing = on_landing

    def land(self, result: T, *, hold: bool = False) -> bool:
        """Give the result to all who wait; only the first one counts. For the thread that does the work."""
        if self._result.done():
            return False
        if not hold:
            self._on_landing()
        self._result.set_result(result)
        return True

    def fail(self, error: BaseException) -> None:
        """Give an error to all who wait."""
        if not self._result.done():
            self._on_landing()
            self._result.set_exception(error)

    def result(self, *, timeout_s: float) -> T:
        """Wait for the result.

        :raises TimeoutError: it did not come in time; the work goes on.
        :raises NoThreadError: there is no work.
        """
        return self._result.result(timeout=timeout_s)

    @property
    def landed(self) -> bool:
        """Whether there is a result."""
        return self._result.done()


class Flights(Generic[T]):
    """The work in flight, by key. Made anew after a fork: threads do not survive one."""

    def __init__(self) -> None:
        self._lock = ForkSafeLock()
        self._begin_anew()
        reset_after_fork(self, Flights._begin_anew)
        _registries.add(self)

    def board(self, key: str, work: Callable[[Flight[T]], None]) -> tuple[Flight[T], bool]:
        """The flight of `key`, started with `work` where there is none; and whether this call started it."""
        with self._lock:
            flight = self._boarding.get(key)
            if flight is not None:
                return flight, False
            flight = self._boarding[key] = Flight(on_landing=lambda: self._close_boarding(key))
            self._flying.add(flight)
        # A daemon, so that ending a process never hangs on it; see `_wait_at_exit`.
        # In the context of who started it, so that its log lines carry that request's id.
        fly = partial(contextvars.copy_context().run, self._fly, key, flight, work)
        try:
            threading.Thread(target=fly, name="portal-refresh", daemon=True).start()
        except BaseException as error:
            flight.fail(NoThreadError())
            self._forget(key, flight)
            if not isinstance(error, RuntimeError):
                raise
            # The machine, or this process's limit, has no more threads.
            logger.error("refresh: %s", error)  # noqa: TRY400  whose words are all there is to say
        return flight, True

    def in_flight(self) -> list[Flight[T]]:
        """All flights whose work is not over."""
        with self._lock:
            return list(self._flying)

    def _fly(self, key: str, flight: Flight[T], work: Callable[[Flight[T]], None]) -> None:
        try:
            work(flight)
        except BaseException as error:
            logger.exception("refresh: unexpected error")
            flight.fail(error)
        finally:
            self._forget(key, flight)

    def _forget(self, key: str, flight: Flight[T]) -> None:
        with self._lock:
            if self._boarding.get(key) is flight:
                del self._boarding[key]
            self._flying.discard(flight)
        flight.over.set()

    def _close_boarding(self, key: str) -> None:
        with self._lock:
            self._boarding.pop(key, None)

    def _begin_anew(self) -> None:
        self._boarding: dict[str, Flight[T]] = {}
        self._flying: set[Flight[T]] = set()


_registries: weakref.WeakSet[Flights[Any]] = weakref.WeakSet()


def _wait_at_exit() -> None:
    """A token that is being exchanged would be lost with the process: give it a moment."""
    end = time.monotonic() + WAIT_AT_EXIT_S
    for registry in list(_registries):
        for flight in registry.in_flight():
            flight.over.wait(max(0.0, end - time.monotonic()))


atexit.register(_wait_at_exit)
