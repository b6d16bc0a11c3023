"""One worker: granian, which serves a WSGI application in this process until it is told to stop.

It accepts from the socket that all workers share, so a connection that one has not accepted goes to another.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import granian._signals
import granian.server.mp
from granian._granian import SocketHolder, WorkerSignal
from granian.constants import Interfaces
from granian.log import LogLevels
from granian.server.mp import MPServer
from granian.wsgi import _callback_wrapper

from portal.config.limits import REFRESH_DEADLINE_S
from portal.process import finish_calls
from portal_server.limiter import ConcurrencyLimiter, granian_threads
from portal_server.parent_watch import end_with_process
from portal_server.ports import BACKLOG, leave
from portal_server.wsgi import for_granian

if TYPE_CHECKING:
    import socket

#: Ctrl-C in a terminal reaches this process and its parent, which sends SIGUSR1.
STOP_SIGNALS: Final = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGUSR1})


class StopSignals:
    """The signals that end this process, taken by a thread of their own.

    No handler takes them: Python runs those in the main thread, which does not wake up when the kernel gives the signal
    to another one; and one that interrupts another may wait for a lock that it has itself.
    """

    def __init__(self) -> None:
        self._stop: Callable[[], None] | None = None

    def take(self) -> None:
        """Take them from now on, in this thread and in all that it will start."""
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        threading.Thread(target=self._wait, name="stop-signals", daemon=True).start()

    def when_told(self, stop: Callable[[], None]) -> None:
        """What the first signal begins. Before it is known, a signal ends the process at once."""
        self._stop = stop

    def _wait(self) -> None:
        signal.sigwait(STOP_SIGNALS)
        if self._stop is None:
            os._exit(0)
        self._stop()


_STOP: Final = StopSignals()


class OneWorker(MPServer):
    """granian's server, whose one worker is this process, and whose socket its parent has made.

    granian itself would start a process for the worker.
    """

    def __init__(self, listener: socket.socket, **options: Any) -> None:
        super().__init__(backlog=BACKLOG, **options)
        self._listener = listener

    def _serve(self, spawn_target: Callable[..., None], target_loader: Callable[..., Any]) -> None:
        granian._signals.set_sync_signals = self._take_signals  # noqa: SLF001  granian's own are for the main thread
        # granian closes its own descriptor of it.
        holder: Any = SocketHolder  # its stub lacks the parameters
        self._shd, self._sso = holder(os.dup(self._listener.fileno()), False, BACKLOG), None
        self._spawn_worker(0, spawn_target, target_loader).inner.run()
        # All requests are answered. A refresh may go on without its request, and its token would be lost.
        finish_calls(within_s=REFRESH_DEADLINE_S)

    def _take_signals(self) -> WorkerSignal:
        event = WorkerSignal()

        def stop() -> None:
            self._listener.close()
            event.set()

        _STOP.when_told(stop)
        return event


def run_worker(listener: socket.socket, *, target: str, threads: int, parent: int) -> None:
    """Serve the WSGI application at `target` (`module:attribute`) in this process.

    SIGUSR1, SIGTERM or SIGINT has it accept no more connections and finish its open requests.

    :param listener: listens; other processes may accept from it too.
    :param threads: so many requests run at the same time.
    :param parent: the process with which it ends, so that no orphan holds the port.
    """
    _STOP.take()
    end_with_process(parent, before=partial(leave, listener))
    server = OneWorker(
        listener,
        target=target,
        interface=Interfaces.WSGI,
        workers=1,
        blocking_threads=granian_threads(threads),
        log_level=LogLevels.error,
        # The application has the log. granian's own handlers would give its lines another form.
        log_dictconfig={"formatters": {}, "handlers": {}, "loggers": {}},
        websockets=False,
    )

    def limited(*callback: Any) -> ConcurrencyLimiter:
        return ConcurrencyLimiter(_callback_wrapper(*callback), threads=threads)

    # granian has no other place for it.
    setattr(granian.server.mp, "_wsgi_call_wrap", limited)  # noqa: B010  it is not exported
    server.serve(target_loader=load_application)


def load_application(target: str) -> Any:
    """Import the application in a new worker."""
    module, _, attribute = target.partition(":")
    return for_granian(getattr(__import__(module, fromlist=[attribute]), attribute))
