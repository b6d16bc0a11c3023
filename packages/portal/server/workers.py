"""The workers of one server: processes that one parent starts, replaces when they end, and stops together.

The parent waits for as long as the server runs. So it does not import granian, which serves in each worker, nor what
gives lines of the log their form before there is one (docs/adr/0021-a-light-parent.md).
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import time
from contextlib import closing, contextmanager, suppress
from functools import partial
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from portal.config.limits import REFRESH_DEADLINE_S, REQUEST_BUDGET_S
from portal.server.ports import why_not_free

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from multiprocessing.context import ForkProcess

logger = logging.getLogger("portal.server")

#: Seconds that workers have for their open requests when the server stops: the calls of a page, a token refresh that
#: began at their end, and some for the rest.
WORKER_STOP_TIMEOUT_S: Final = int(REQUEST_BUDGET_S + REFRESH_DEADLINE_S) + 5
#: What the parent sends to its workers for that.
STOP_SIGNAL: Final = signal.SIGUSR1
#: Seconds from one start of a worker to the next: a crash at start must not loop.
RESTART_INTERVAL_S: Final = 1.0


def serve_wsgi(
    *,
    target: str,
    host: str,
    port: int,
    workers: int,
    threads: int,
    stop_timeout_s: int = WORKER_STOP_TIMEOUT_S,
    log_config: Mapping[str, Any] | None = None,
) -> None:
    """Serve the WSGI application at `target` (`module:attribute`) until SIGTERM or SIGINT.

    :param threads: for each worker; each handles one request at a time.
    :param stop_timeout_s: what is still open so long after the signal is cut.
    :param log_config: for :func:`logging.config.dictConfig`, so that all lines have the same form.
    """
    if refusal := why_not_free(host, port):
        sys.exit(refusal)
    work = partial(_work, target=target, host=host, port=port, threads=threads, log_config=log_config)
    Workers(work, count=workers, stop_timeout_s=stop_timeout_s, log_config=log_config).run()


class Workers:
    """Processes that do the same work.

    A worker that ends by itself is always replaced. With one machine and no load balancer, a server that has ended is
    worse than one that tries again.

    :param work: runs in each process until it gets `STOP_SIGNAL`.
    """

    def __init__(
        self,
        work: Callable[[], None],
        *,
        count: int,
        stop_timeout_s: float,
        log_config: Mapping[str, Any] | None = None,
    ) -> None:
        self._work = work
        self._stop_timeout_s = stop_timeout_s
        self._log_config = log_config
        self._running: list[_Worker] = []
        #: When each worker that does not run is to be started, by the monotonic clock.
        self._starts = [0.0] * count
        self._told_to_stop = False

    def run(self) -> None:
        """Run them until SIGTERM or SIGINT, and then until their open requests are finished."""
        with self._signals() as wakeup:
            try:
                while not self._told_to_stop:
                    self._start_due()
                    self._wait(wakeup)
                    self._find_ended()
            finally:
                self._stop()

    @contextmanager
    def _signals(self) -> Iterator[int]:
        """Take the signals. Gives a descriptor that can be read after each, whichever thread the kernel gives it to."""
        readable, writable = os.pipe()
        with closing(os.fdopen(readable, "rb", buffering=0)), closing(os.fdopen(writable, "wb", buffering=0)):
            os.set_blocking(readable, False)
            os.set_blocking(writable, False)
            signal.signal(signal.SIGTERM, self._note_stop)
            signal.signal(signal.SIGINT, self._note_stop)
            signal.signal(signal.SIGHUP, self._refuse_reload)
            signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
            try:
                yield readable
            finally:
                signal.set_wakeup_fd(-1)

    def _note_stop(self, *_: object) -> None:
        self._told_to_stop = True

    def _refuse_reload(self, *_: object) -> None:
        """SIGHUP: say that it does nothing. New workers of this parent would run the code that is loaded already."""
        self._configure_log()
        logger.error("SIGHUP does nothing: a new release needs a restart (systemctl restart), one server after another")

    def _start_due(self) -> None:
        now = time.monotonic()
        due = [start for start in self._starts if start <= now]
        self._starts = [start for start in self._starts if start > now]
        for _ in due:
            process = multiprocessing.get_context("fork").Process(target=self._run_in_child, name="worker")
            try:
                process.start()
            except OSError as error:
                self._configure_log()
                logger.warning("a worker could not be started, and is tried again: %s", error)
                self._starts.append(now + RESTART_INTERVAL_S)
            else:
                self._running.append(_Worker(process, now))

    def _run_in_child(self) -> None:
        """The life of a worker."""
        # The parent's handlers do nothing in a worker. It ends at once where it has not loaded its application.
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        # A terminal that is closed sends it to all processes.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        self._work()

    def _wait(self, wakeup: int) -> None:
        """Wait until a worker ends, one is to be started, or a signal comes."""
        ends = [worker.process.sentinel for worker in self._running]
        seconds = max(0.0, min(self._starts) - time.monotonic()) if self._starts else None
        if wakeup in wait([wakeup, *ends], seconds):
            os.read(wakeup, 4096)

    def _find_ended(self) -> None:
        for worker in [each for each in self._running if not each.process.is_alive()]:
            self._running.remove(worker)
            self._starts.append(worker.began + RESTART_INTERVAL_S)
            self._configure_log()
            logger.error(
                "worker %s has ended by itself, with status %s: another one takes its place",
                worker.process.pid,
                worker.process.exitcode,
            )

    def _stop(self) -> None:
        """Let each worker empty its listening socket and finish its open requests."""
        for worker in self._running:
            if worker.process.pid is not None:
                with suppress(ProcessLookupError):
                    os.kill(worker.process.pid, STOP_SIGNAL)
        end = time.monotonic() + self._stop_timeout_s
        for worker in self._running:
            if not wait([worker.process.sentinel], max(0.0, end - time.monotonic())):
                self._configure_log()
                logger.warning("stopping: the open requests of worker %d take too long and are cut", worker.process.pid)
                worker.process.kill()
            worker.process.join()

    def _configure_log(self) -> None:
        """Called before a line is written, since most parents write none."""
        if self._log_config is not None:
            from logging.config import dictConfig  # noqa: PLC0415  as above

            dictConfig(dict(self._log_config))
            self._log_config = None


class _Worker(NamedTuple):
    """A worker that was started.

    :param began: by the monotonic clock.
    """

    process: ForkProcess
    began: float


def _work(*, target: str, host: str, port: int, threads: int, log_config: Mapping[str, Any] | None) -> None:
    from portal.server.granian_worker import run_worker  # noqa: PLC0415  the parent has no use for it

    run_worker(target=target, host=host, port=port, threads=threads, log_config=log_config)
