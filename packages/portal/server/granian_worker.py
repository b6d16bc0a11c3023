"""One worker: granian, which serves a WSGI application in this process until it is told to stop.

It ends connections that take nothing, and loses no request when it stops.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
from typing import TYPE_CHECKING, Any, Final

import granian._signals
from granian._granian import WorkerSignal
from granian.constants import Interfaces
from granian.log import LogLevels
from granian.server.mp import MPServer

from portal.config.limits import REFRESH_DEADLINE_S
from portal.process import finish_calls
from portal.server.draining import drain
from portal.server.parent_watch import end_with_process
from portal.server.wsgi.content_types import with_plain_content_types
from portal.server.wsgi.lost_cookies import naming_lost_cookies
from portal.server.wsgi.read_bodies import with_read_bodies
from portal.server.wsgi.whole_bodies import with_whole_bodies

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: Ctrl-C in a terminal reaches this process and its parent, which sends SIGUSR1.
STOP_SIGNALS: Final = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGUSR1})
#: Seconds after which a connection ends whose other side takes nothing of what was sent to it.
STALLED_CONNECTION_S = 60


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
    """granian's server, whose one worker is this process. Its connections end when the other side stalls.

    granian itself would start a process for the worker, and its own code would stay in the parent: 7 MiB
    (docs/adr/0021-a-light-parent.md).

    granian has no limit for a browser that takes nothing, and a thread waits for it. The kernel has one.
    """

    def _serve(self, spawn_target: Callable[..., None], target_loader: Callable[..., Any]) -> None:
        self._init_shared_socket()  # type: ignore[no-untyped-call]  # granian has no types here
        self._spawn_worker(0, spawn_target, target_loader).inner.run()

    @staticmethod
    def _spawn_wsgi_worker(  # pyright: ignore[reportIncompatibleMethodOverride]  its decorator changes the parameters, and hides that
        worker_id: int, name: str | None, loader: Any, sockets: Any, *args: Any
    ) -> None:
        (spec, holder), shared = sockets
        # Where each worker has a socket of its own, granian's worker would make it.
        own = holder if spec is None else spec.build()
        end_stalled_connections(own.get_fd())

        def take_signals() -> WorkerSignal:
            event = WorkerSignal()

            def stop() -> None:
                drain(own.get_fd())
                event.set()

            _STOP.when_told(stop)
            return event

        granian._signals.set_sync_signals = take_signals  # noqa: SLF001  granian's own closes the socket with connections in it
        MPServer._spawn_wsgi_worker(worker_id, name, loader, ((None, own), shared), *args)  # noqa: SLF001  granian lets nobody else give a worker its socket
        # All requests are answered. A refresh may go on without its request, and its token would be lost.
        finish_calls(within_s=REFRESH_DEADLINE_S)


def run_worker(
    *, target: str, host: str, port: int, threads: int, log_config: Mapping[str, Any] | None, parent: int
) -> None:
    """Serve the WSGI application at `target` (`module:attribute`) in this process.

    SIGUSR1, SIGTERM or SIGINT has it empty its listening socket and finish its open requests.

    :param threads: each handles one request at a time.
    :param log_config: as :func:`portal.server.workers.serve_wsgi`.
    :param parent: the process with which it ends, so that no orphan holds the port.
    """
    _STOP.take()
    end_with_process(parent)
    server = OneWorker(
        target=target,
        address=host,
        port=port,
        interface=Interfaces.WSGI,
        workers=1,
        blocking_threads=threads,
        log_level=LogLevels.error,
        log_dictconfig=None if log_config is None else dict(log_config),
        websockets=False,
    )
    server.serve(target_loader=load_application)


def end_stalled_connections(listener: int) -> None:
    """Let the kernel end each connection of a socket that has acknowledged nothing, or offered no room, for so long.

    :param listener: the descriptor of a listening TCP socket. Its connections inherit the limit.
    """
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux
        with socket.socket(fileno=os.dup(listener)) as same:
            same.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STALLED_CONNECTION_S * 1000)


def load_application(target: str) -> Any:
    """Import the application in a new worker."""
    module, _, attribute = target.partition(":")
    application = getattr(__import__(module, fromlist=[attribute]), attribute)
    return with_plain_content_types(naming_lost_cookies(with_read_bodies(with_whole_bodies(application))))
