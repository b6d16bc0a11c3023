"""The workers of one server: processes that one parent starts, replaces when they end, and stops together.

The parent waits for as long as the server runs. So it does not import granian, which serves in each worker, nor what
gives lines of the log their form before there is one (docs/adr/0021-a-light-parent.md).
"""

from __future__ import annotations

import logging
import os
import select
import signal
import sys
import threading
import time
import traceback
from contextlib import closing, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from portal.config.limits import REFRESH_DEADLINE_S, REQUEST_BUDGET_S
from portal.server.parent_watch import (
    BEAT_INTERVAL_S,
    SILENCE_LIMIT_S,
    STOPPING_SILENCE_LIMIT_S,
    Heartbeat,
    ThisProcess,
)
from portal.server.ports import leave

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator, Mapping
    from types import FrameType

    from portal.server.parent_watch import InsteadOf

logger = logging.getLogger("portal.server")

#: Seconds that workers have for their open requests when the server stops: the calls of a page, a token refresh that
#: began at their end, and some for the rest.
WORKER_STOP_TIMEOUT_S: Final = int(REQUEST_BUDGET_S + REFRESH_DEADLINE_S) + 5
#: What the parent sends to its workers for that.
STOP_SIGNAL: Final = signal.SIGUSR1
#: Seconds from one start of a worker to the next: a crash at start must not loop.
RESTART_INTERVAL_S: Final = 1.0


class Worker:
    """A worker as its parent knows it."""

    def __init__(self, pid: int, heartbeat: Heartbeat) -> None:
        self.pid = pid
        self.heartbeat = heartbeat
        self.began = time.monotonic()
        #: Whether it was killed, since it did not answer.
        self.hung = False


class PreparedServer(NamedTuple):
    """A server that may start: its options are sound, its checks have passed, its files are collected.

    :param target: the WSGI application, `module:attribute`.
    :param threads: for each worker; each handles one request at a time.
    :param stop_timeout_s: what is still open so long after the signal is cut.
    :param ends_with_parent: whether it stops as soon as the process that started it is gone.
    :param log_config: for :func:`logging.config.dictConfig`, so that all lines have the same form.
    """

    target: str
    host: str
    port: int
    workers: int
    threads: int
    ends_with_parent: bool = False
    log_config: Mapping[str, Any] | None = None
    stop_timeout_s: int = WORKER_STOP_TIMEOUT_S


class Workers:
    """Processes that do the same work.

    A worker that ends by itself is always replaced. With one machine and no load balancer, a server that has ended is
    worse than one that tries again. One whose heart stands still is killed, and so replaced.

    :param listener: listens; what all of them accept from. It is drained before they stop.
    :param first: a child process that does one worker's :func:`work` already.
    :param tell_alive: called once a second.
    """

    def __init__(
        self,
        server: PreparedServer,
        listener: socket.socket,
        *,
        first: Worker | None = None,
        tell_alive: Callable[[], None] = lambda: None,
    ) -> None:
        self._work = partial(work, server, listener=listener, parent=os.getpid())
        self._stop_timeout_s = server.stop_timeout_s
        self._log_config = server.log_config
        self._listener = listener
        self._tell_alive = tell_alive
        self._running: list[Worker] = [] if first is None else [first]
        #: When each worker that does not run is to be started, and instead of which one.
        self._starts: list[tuple[float, InsteadOf]] = [(0.0, "none")] * (server.workers - len(self._running))
        self._next_look = 0.0
        self._told_to_stop = self._told_to_reload = False

    def run(self) -> None:
        """Run them until SIGTERM or SIGINT, and then until their open requests are finished."""
        with self._signals() as wakeup:
            try:
                while not self._told_to_stop:
                    self._start_due()
                    self._look(SILENCE_LIMIT_S)
                    self._wait(wakeup, until=min([self._next_look, *(due for due, _ in self._starts)]))
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
        self._configure_log()
        logger.error("SIGHUP does nothing: a new release needs a restart (systemctl restart), one server after another")

    def _start_due(self) -> None:
        now = time.monotonic()
        for start in [start for start in self._starts if start[0] <= now]:
            self._starts.remove(start)
            heartbeat, (_, instead_of) = Heartbeat(), start
            try:
                pid = os.fork()
            except OSError as error:
                self._starts.append((now + RESTART_INTERVAL_S, instead_of))
                self._configure_log()
                logger.warning("a worker could not be started, and is tried again: %s", error)
                continue
            if pid == 0:
                signal.set_wakeup_fd(-1)
                live_as_worker(partial(self._begin, heartbeat, instead_of))
            self._running.append(Worker(pid, heartbeat))

    def _begin(self, heartbeat: Heartbeat, instead_of: InsteadOf) -> None:
        ThisProcess.instead_of = instead_of
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
                self._configure_log()
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
            self._starts.append((worker.began + RESTART_INTERVAL_S, "hung" if worker.hung else "ended"))
            if not worker.hung:
                self._configure_log()
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
            self._configure_log()
            logger.warning("stopping: the open requests of worker %d take too long and are cut", worker.pid)
            os.kill(worker.pid, signal.SIGKILL)
            os.waitpid(worker.pid, 0)

    def _configure_log(self) -> None:
        """Called before a line is written, since most parents write none."""
        if self._log_config is not None:
            from logging.config import dictConfig  # noqa: PLC0415  as above

            dictConfig(dict(self._log_config))
            self._log_config = None


def in_log_format(text: str) -> str:
    """Why a start fails, as a line of the log where that is JSON (`APP_LOG_FORMAT`): no logger is set up yet."""
    if os.environ.get("APP_LOG_FORMAT") != "json":
        return text
    import json  # noqa: PLC0415  where a start fails alone

    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return json.dumps({"time": at, "level": "CRITICAL", "logger": "portal.server", "message": text})


def live_as_worker(work: Callable[[], None]) -> NoReturn:
    """Work in a new process. It never returns into what its parent is about to do."""
    status = 1
    try:
        # The parent's handlers do nothing in a worker. It ends at once where it has not loaded its application.
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        # A terminal that is closed sends it to all processes.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        work()
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            sys.stderr.write(f"{in_log_format(end.code)}\n")
    except BaseException:  # noqa: BLE001  nobody else shows it
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status & 0xFF)


def work(server: PreparedServer, *, listener: socket.socket, parent: int) -> None:
    """What a worker does, until it gets `STOP_SIGNAL`."""
    from portal.server.granian_worker import run_worker  # noqa: PLC0415  the parent has no use for it

    run_worker(listener, target=server.target, threads=server.threads, log_config=server.log_config, parent=parent)
