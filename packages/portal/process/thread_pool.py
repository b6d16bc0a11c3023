"""A bounded number of threads for work beside the requests, with a bounded queue.

Unlike the threads of `concurrent.futures`, these are daemons: a process that ends does not wait for a backend that
hangs. Unfinished work is lost then, and nothing depends on it.
"""

import contextvars
import logging
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

logger = logging.getLogger("portal.query")


class Pool:
    """Starts a thread when all others are busy. A child process needs a new pool: threads do not survive a fork.

    :param name: names the threads, and the pool in the log.
    :param threads: limit of threads.
    :param queue: limit of work that waits for a thread.
    """

    def __init__(self, *, name: str, threads: int, queue: int) -> None:
        self._name = name
        self._most_threads = threads
        self._most_waiting = queue
        self._waiting: deque[tuple[contextvars.Context, Future[Any], Callable[[], Any]]] = deque()
        self._threads = 0
        self._idle = 0
        lock = threading.Lock()
        self._changed = threading.Condition(lock)
        self._went_idle = threading.Condition(lock)

    def submit(self, work: Callable[[], T]) -> Future[T] | None:
        """Run `work` in a thread, in a copy of the caller's context, so that its log lines name the same request.

        :returns: a future, which can be cancelled until the work begins; None if the queue is full or no thread starts.
        """
        future: Future[T] = Future()
        with self._changed:
            if len(self._waiting) >= self._most_waiting:
                return None
            self._waiting.append((contextvars.copy_context(), future, work))
            if len(self._waiting) > self._idle and self._threads < self._most_threads:
                self._start_thread()
            if self._threads == 0:
                self._waiting.pop()
                return None
            self._changed.notify()
        return future

    def wait_until_idle(self, *, timeout_s: float) -> bool:
        """Wait until all work has ended; return whether it has."""
        with self._went_idle:
            return self._went_idle.wait_for(lambda: not self._waiting and self._idle == self._threads, timeout_s)

    def _start_thread(self) -> None:
        thread = threading.Thread(target=self._work, name=f"portal-{self._name}", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:  # the machine, or this process's limit, has no more threads
            logger.warning("%s: no thread more than %s: %s", self._name, self._threads, error)
        else:
            self._threads += 1

    def _work(self) -> None:
        while True:
            with self._changed:
                self._idle += 1
                self._went_idle.notify_all()
                while not self._waiting:
                    self._changed.wait()
                self._idle -= 1
                context, future, work = self._waiting.popleft()
            if future.set_running_or_notify_cancel():
                _do(context, future, work)
            # The waiting thread keeps no reference to a request.
            del context, future, work


def _do(context: contextvars.Context, future: Future[Any], work: Callable[[], Any]) -> None:
    try:
        result = context.run(work)
    except BaseException as error:  # noqa: BLE001  the future raises it in the thread that waits
        future.set_exception(error)
    else:
        future.set_result(result)
