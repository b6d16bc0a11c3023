"""The workers of one server: processes that one parent starts, replaces when they end, and stops together.

The parent of a single worker does nothing but wait. So this module imports neither Django, nor granian, which serves in
each worker, nor what gives lines of the log their form before there is one (docs/adr/0055-one-process-prepares.md).
"""

from __future__ import annotations

import logging
import mmap
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Final, NoReturn, TextIO

from portal.config.limits import REFRESH_DEADLINE_S, REQUEST_BUDGET_S
from portal_server.parent_watch import (
    BEAT_INTERVAL_S,
    SILENCE_LIMIT_S,
    STOPPING_SILENCE_LIMIT_S,
    Heartbeat,
    InsteadOf,
    ThisProcess,
)
from portal_server.ports import leave, listens
from portal_server.static_files import reserve_metric_files

if TYPE_CHECKING:
    import socket


logger = logging.getLogger("portal.server")

#: Seconds that workers have for their open requests when the server stops: the calls of a page, a token refresh that
#: began at their end, and some for the rest.
WORKER_STOP_TIMEOUT_S: Final = int(REQUEST_BUDGET_S + REFRESH_DEADLINE_S) + 5
#: What the parent sends to its workers for that.
STOP_SIGNAL: Final = signal.SIGUSR1
#: Seconds from one start of a worker to the next: a crash at start must not loop.
RESTART_INTERVAL_S: Final = 1.0


class Worker:
    """A worker as its parent knows it.

    :param number: its place among the workers of the server. A replacement has the same.
    """

    def __init__(self, pid: int, number: int, heartbeat: Heartbeat) -> None:
        self.pid = pid
        self.number = number
        self.heartbeat = heartbeat
        self.began = time.monotonic()
        #: Whether it was killed, since it did not answer.
        self.hung = False


class Workers:
    """Processes that do the same work.

    A worker that ends by itself is always replaced. With one machine and no load balancer, a server that has ended is
    worse than one that tries again. One whose heart stands still is killed, and so replaced.

    :param work: what each of them does, until it gets `STOP_SIGNAL`.
    :param listener: what all of them accept from. It is drained before they stop. A worker that ends before it listens
        is not replaced, and ends the server with its status.
    :param stop_timeout_s: what is still open so long after the signal is cut.
    :param tell_alive: called once a second.
    """

    def __init__(
        self,
        work: Callable[[], None],
        listener: socket.socket,
        *,
        count: int = 1,
        stop_timeout_s: int = WORKER_STOP_TIMEOUT_S,
        tell_alive: Callable[[], None] = lambda: None,
    ) -> None:
        self._work = work
        self._listener = listener
        self._stop_timeout_s = stop_timeout_s
        self._tell_alive = tell_alive
        self._running: list[Worker] = []
        #: Process ids by number, which the workers read.
        self._pids = memoryview(mmap.mmap(-1, 8 * count)).cast("q")
        #: When each worker that does not run is to be started, its number, and instead of which one.
        self._starts: list[tuple[float, int, InsteadOf]] = [(0.0, number, "none") for number in range(count)]
        self._next_look = 0.0
        self._told_to_stop = self._told_to_reload = False

    def run(self) -> None:
        """Run them until SIGTERM or SIGINT, and then until their open requests are finished."""
        with self._signals() as wakeup:
            try:
                while not self._told_to_stop:
                    self._start_due()
                    self._look(SILENCE_LIMIT_S)
                    self._wait(wakeup, until=min([self._next_look, *(due for due, *_ in self._starts)]))
                    if self._told_to_reload:
                        self._refuse_reload()
                    if not self._told_to_stop:
                        self._replace_ended()
            finally:
                self._stop(wakeup)

    @contextmanager
    def _signals(self) -> Iterator[int]:
        """Take the signals. Gives a descriptor that can be read after each, whichever thread the kernel gives it to."""
        readable, writable = os.pipe()
        with closing(os.fdopen(readable, "rb", buffering=0)), closing(os.fdopen(writable, "wb", buffering=0)):
            os.set_blocking(readable, False)
            os.set_blocking(writable, False)
            signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
                signal.signal(number, self._note)
            try:
                yield readable
            finally:
                signal.set_wakeup_fd(-1)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        """Note a signal. What it asks for is done in the loop: another one may come in the middle of this."""
        if number in {signal.SIGTERM, signal.SIGINT}:
            self._told_to_stop = True
        elif number == signal.SIGHUP:
            self._told_to_reload = True

    def _refuse_reload(self) -> None:
        """Say that SIGHUP does nothing. New workers of this parent would run the code that is loaded already."""
        self._told_to_reload = False
        logger.error("SIGHUP does nothing: a new release needs a restart (systemctl restart), one server after another")

    def _start_due(self) -> None:
        now = time.monotonic()
        for start in [start for start in self._starts if start[0] <= now]:
            self._starts.remove(start)
            heartbeat, (_, number, instead_of) = Heartbeat(), start
            try:
                reserve_metric_files(number)
                pid = os.fork()
            except OSError as error:
                self._starts.append((now + RESTART_INTERVAL_S, number, instead_of))
                logger.warning("a worker could not be started, and is tried again: %s", error)
                continue
            if pid == 0:
                signal.set_wakeup_fd(-1)
                live_as_worker(partial(self._begin, heartbeat, number, instead_of))
            self._pids[number] = pid
            self._running.append(Worker(pid, number, heartbeat))

    def _begin(self, heartbeat: Heartbeat, number: int, instead_of: InsteadOf) -> None:
        ThisProcess.number, ThisProcess.instead_of, ThisProcess.pids = number, instead_of, self._pids
        heartbeat.begin()
        self._work()

    def _look(self, limit_s: float) -> None:
        """Once a second: kill the workers that are silent for so long, and say that this process is not."""
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + BEAT_INTERVAL_S
        self._tell_alive()
        for worker in self._running:
            if worker.heartbeat.look(limit_s) and not worker.hung:
                worker.hung = True
                logger.error("worker %d lives and has not answered for %d s: it is killed", worker.pid, limit_s)
                # It is no other process by now: a worker that has ended keeps its id until it is waited for.
                os.kill(worker.pid, signal.SIGKILL)

    def _wait(self, wakeup: int, *, until: float) -> None:
        """Wait until a signal comes, such as that of a worker that has ended, or until then by the monotonic clock."""
        if select.select([wakeup], [], [], max(0.0, until - time.monotonic()))[0]:
            os.read(wakeup, 4096)

    def _reap(self) -> list[tuple[Worker, int]]:
        """Take the workers that have ended out of those that run.

        :returns: each, and its status: -9 for the signal 9.
        """
        ended = []
        for worker in tuple(self._running):
            found, status = os.waitpid(worker.pid, os.WNOHANG)
            if found:
                self._running.remove(worker)
                ended.append((worker, os.waitstatus_to_exitcode(status)))
        return ended

    def _replace_ended(self) -> None:
        for worker, status in self._reap():
            if not listens(self._listener):
                sys.exit(exit_code(status))
            self._starts.append((worker.began + RESTART_INTERVAL_S, worker.number, "hung" if worker.hung else "ended"))
            if not worker.hung:
                logger.error(
                    "worker %d has ended by itself, with status %d: another one takes its place", worker.pid, status
                )

    def _stop(self, wakeup: int) -> None:
        """Let the workers accept who waits, and finish their open requests."""
        leave(self._listener)
        for worker in self._running:
            os.kill(worker.pid, STOP_SIGNAL)
        end = time.monotonic() + self._stop_timeout_s
        self._reap()
        while self._running and time.monotonic() < end:
            self._look(STOPPING_SILENCE_LIMIT_S)
            self._wait(wakeup, until=min(end, self._next_look))
            self._reap()
        for worker in self._running:
            logger.warning("stopping: the open requests of worker %d take too long and are cut", worker.pid)
            os.kill(worker.pid, signal.SIGKILL)
            os.waitpid(worker.pid, 0)


class LineHandler(logging.StreamHandler[TextIO]):
    """Handler of a parent without Django. It imports what gives lines their form when it writes the first one.

    Most parents of a single worker write none.
    """

    def __init__(self, app: str) -> None:
        super().__init__()
        self._app = app

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        if self.formatter is None:
            from portal.config.log_lines import line_formatter  # noqa: PLC0415  as above

            self.formatter = line_formatter(app=self._app, log_format=os.environ.get("APP_LOG_FORMAT") or "text")
        return super().format(record)


def in_log_format(text: str) -> str:
    """Why a start fails, as a line of the log where that is JSON (`APP_LOG_FORMAT`): no logger is set up yet."""
    if os.environ.get("APP_LOG_FORMAT") != "json":
        return text
    import json  # noqa: PLC0415  where a start fails alone

    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return json.dumps({"time": at, "level": "CRITICAL", "logger": "portal.server", "message": text})


def stop(_number: int, _frame: FrameType | None) -> NoReturn:
    """End with status 0: the handler of a process that serves nothing yet."""
    sys.exit(0)


def live_as_worker(work: Callable[[], None]) -> NoReturn:
    """Work in a new process. It never returns into what its parent is about to do."""
    status = 1
    try:
        # The parent's handlers do nothing in a worker.
        for number in (signal.SIGTERM, signal.SIGINT, STOP_SIGNAL):
            signal.signal(number, stop)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        # A terminal that is closed sends it to all processes.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        work()
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()
        status = 0
    except SystemExit as end:
        status = status_of(end)
    except BaseException:  # noqa: BLE001  nobody else shows it
        import traceback  # noqa: PLC0415  where something fails alone

        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status & 0xFF)


def status_of(end: SystemExit) -> int:
    """Return the status of a process that ends so, and write its message, if it has one."""
    if isinstance(end.code, str):
        sys.stderr.write(f"{in_log_format(end.code)}\n")
    return end.code if isinstance(end.code, int) else int(end.code is not None)


def in_child_process(work: Callable[[], None]) -> int:
    """Work in a child process, whose memory and connections are gone afterwards; return its status.

    It ends with this process, if this one is told to stop meanwhile.
    """
    # A stop that comes now waits until the child is known: else nobody would end it.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT, STOP_SIGNAL})
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        live_as_worker(work)
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return exit_code(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    except SystemExit:
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(child, signal.SIGTERM)
            os.waitpid(child, 0)
        raise


def exit_code(status: int) -> int:
    """Return the status that a shell gives: 128 and the signal's number for a process that a signal has ended."""
    return status if status >= 0 else 128 - status
