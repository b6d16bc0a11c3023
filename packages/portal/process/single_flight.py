"""At most one call at a time for each key in a process; callers that come meanwhile share its result.

The words are those of Go's `golang.org/x/sync/singleflight`. The first caller of a key leads: it makes the call, in its
own thread (:meth:`SingleFlight.lead`) or in a new one that goes on when every caller has given up
(:meth:`SingleFlight.run_in_thread`). The others wait for the result, each as long as it can.
"""

import atexit
import contextvars
import logging
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, Generic, TypeVar

from fork_safety import ForkSafeLock, reset_after_fork

T = TypeVar("T")

logger = logging.getLogger(__name__)

#: A process that is asked to end waits this long for its threads, seconds: less than it is given to end at all.
WAIT_AT_EXIT_S: Final = 2.5


class NoThreadError(Exception):
    """The call was not made: this process is given no more threads."""


class NoResultError(Exception):
    """The leader's call ended without a result for others."""


class SharedCall(Generic[T]):
    """One call, and the result that its callers share.

    :param version: what the leader knew when the call began, for `may_join`.
    :ivar leader: the thread of the leader.
    :ivar started_at: when the call began, in monotonic seconds.
    :ivar is_joinable: whether later callers may still share the result.
    """

    def __init__(self, key: str, *, version: Any = None) -> None:
        self.key = key
        self.version = version
        self.leader = threading.get_ident()
        self.started_at = time.monotonic()
        self.is_joinable = True
        self._result: Future[T] = Future()
        self._finished = threading.Event()

    def set_result(self, result: T, *, keep_joinable: bool = False) -> None:
        """Give the result to all callers; only the first result counts. For the leader, also before the call ends.

        From now on a new caller makes a new call, because the result may be out of date by then.

        :param keep_joinable: give this result to new callers too, until the call ends.
        """
        if not self._result.done():
            self.is_joinable = keep_joinable
            self._result.set_result(result)

    def set_exception(self, error: BaseException) -> None:
        """Raise `error` in all callers, unless there is a result."""
        if not self._result.done():
            self.is_joinable = False
            self._result.set_exception(error)

    def result(self, *, timeout_s: float) -> T:
        """Wait for the result; raises the call's own error.

        :raises TimeoutError: the result did not come in time; the call goes on.
        :raises NoThreadError: the call was not made.
        """
        return self._result.result(timeout=timeout_s)

    @property
    def done(self) -> bool:
        """Whether there is a result or an error."""
        return self._result.done()

    def finish(self) -> None:
        """Mark the call as ended. For `SingleFlight`."""
        self._finished.set()

    def wait_until_finished(self, *, timeout_s: float) -> bool:
        """Wait until the call has ended, which may be after its result; whether it has."""
        return self._finished.wait(timeout_s)


class SingleFlight(Generic[T]):
    """The calls in flight, by key. Safe for threads; empty after a fork, because threads do not survive one."""

    def __init__(self) -> None:
        self._lock = ForkSafeLock()
        self._reset()
        reset_after_fork(self, SingleFlight._reset)
        _all.add(self)

    def join(
        self, key: str, *, version: Any = None, may_join: Callable[[SharedCall[T]], bool] | None = None
    ) -> tuple[SharedCall[T], bool]:
        """Join the call in flight for `key`, or begin one.

        :param version: what this caller knows, for the `may_join` of others.
        :param may_join: whether the call in flight is good enough for this caller; by default any is. It is asked
            under a lock, so it must be quick and call nothing of this class.
        :returns: the call, and whether this caller leads it. A leader must call `run` or `run_in_thread` next.
        """
        with self._lock:
            shared_call = self._by_key.get(key)
            if shared_call is not None and shared_call.is_joinable and (may_join is None or may_join(shared_call)):
                return shared_call, False
            shared_call = self._by_key[key] = SharedCall(key, version=version)
            return shared_call, True

    @contextmanager
    def lead(self, shared_call: SharedCall[T]) -> Iterator[None]:
        """Make the leader's call in a `with` block, which gives the result with `set_result`.

        The block's `Exception` is raised in all callers. A block without a result raises `NoResultError` in the others.
        """
        try:
            yield
        except Exception as error:
            shared_call.set_exception(error)
            raise
        finally:
            # Also after a `SystemExit`, which is meant for this thread alone.
            shared_call.set_exception(NoResultError())
            self._forget(shared_call)

    def run_in_thread(self, shared_call: SharedCall[T], work: Callable[[], T], *, name: str) -> None:
        """Make the leader's call in a new thread, in the context of this one: its log lines name the same request.

        :param name: of the thread.
        """
        with self._lock:
            self._in_threads.add(shared_call)
        run = partial(contextvars.copy_context().run, partial(self._run_and_log, shared_call, work, name))
        try:
            # A daemon, so that the end of a process never waits for it longer than `_wait_at_exit` does.
            threading.Thread(target=run, name=name, daemon=True).start()
        except BaseException as error:
            shared_call.set_exception(NoThreadError())
            self._forget(shared_call)
            if not isinstance(error, RuntimeError):
                raise
            # The machine, or this process's limit, has no more threads.
            logger.error("%s: %s", name, error)  # noqa: TRY400  the error's words are all there is to log

    def in_threads(self) -> list[SharedCall[T]]:
        """The calls that threads of their own are making."""
        with self._lock:
            return list(self._in_threads)

    def _run_and_log(self, shared_call: SharedCall[T], work: Callable[[], T], name: str) -> None:
        try:
            shared_call.set_result(work())
        except BaseException as error:
            logger.exception("%s: unexpected error", name)
            shared_call.set_exception(error)
        finally:
            self._forget(shared_call)

    def _forget(self, shared_call: SharedCall[T]) -> None:
        with self._lock:
            if self._by_key.get(shared_call.key) is shared_call:
                del self._by_key[shared_call.key]
            self._in_threads.discard(shared_call)
        shared_call.finish()

    def _reset(self) -> None:
        self._by_key: dict[str, SharedCall[T]] = {}
        self._in_threads: set[SharedCall[T]] = set()


_all: weakref.WeakSet[SingleFlight[Any]] = weakref.WeakSet()


def finish_calls(*, within_s: float) -> None:
    """Wait for the calls that threads of this process are making: a new token whose call is cut off would be lost."""
    end = time.monotonic() + within_s
    for single_flight in list(_all):
        for shared_call in single_flight.in_threads():
            shared_call.wait_until_finished(timeout_s=max(0.0, end - time.monotonic()))


# A worker of the production server is a child process, which Python 3.11 ends without these; it calls the function.
atexit.register(finish_calls, within_s=WAIT_AT_EXIT_S)
