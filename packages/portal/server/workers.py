"""granian with changes: it replaces its workers for as long as it runs, ends connections that take nothing, and loses
no request when it stops.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import time
from contextlib import suppress
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from granian.constants import Interfaces
from granian.log import LogLevels
from granian.server.mp import MPServer

from portal.config.limits import REFRESH_DEADLINE_S, REQUEST_BUDGET_S
from portal.server.draining import drain
from portal.server.parent_watch import end_with_process
from portal.server.wsgi.content_types import with_plain_content_types
from portal.server.wsgi.lost_cookies import naming_lost_cookies
from portal.server.wsgi.read_bodies import with_read_bodies
from portal.server.wsgi.whole_bodies import with_whole_bodies

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType

logger = logging.getLogger("portal.server")

#: Seconds that workers have for their open requests when the server stops: the calls of a page, a token refresh that
#: began at their end, and some for the rest.
WORKER_STOP_TIMEOUT_S = int(REQUEST_BUDGET_S + REFRESH_DEADLINE_S) + 5
#: What the parent sends to its workers for that.
STOP_SIGNAL = signal.SIGUSR1
#: Seconds after which a connection ends whose other side takes nothing of what was sent to it.
STALLED_CONNECTION_S = 60
#: Seconds. A worker that lived shorter is replaced after such a pause: a crash at start must not loop.
SHORT_LIFE_S = 1.0


class PersistentServer(MPServer):
    """A granian server that always replaces its workers, and whose connections end when the other side stalls.

    granian ends the whole server if a worker dies twice within 5.5 s ("crash loop"). With one machine and no load
    balancer, a server that has ended is worse than one that tries again.

    granian has no limit for a browser that takes nothing, and a thread waits for it. The kernel has one.
    """

    @staticmethod
    def _spawn_wsgi_worker(  # pyright: ignore[reportIncompatibleMethodOverride]  its decorator changes the parameters, and hides that
        worker_id: int, name: str | None, loader: Any, sockets: Any, *args: Any
    ) -> None:
        """Run a worker, in its own process, on a socket whose connections end when the other side stalls."""
        from portal.process import finish_calls  # noqa: PLC0415  the parent has no use for it

        (spec, holder), shared = sockets
        # Where each worker has a socket of its own, granian's worker would make it.
        own = holder if spec is None else spec.build()
        end_stalled_connections(own.get_fd())

        def stop(_number: int, _frame: FrameType | None) -> None:
            drain(own.get_fd())
            signal.raise_signal(signal.SIGTERM)

        # Until granian has its handler: the parent's would do nothing in a worker that has not loaded its application.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(STOP_SIGNAL, stop)
        MPServer._spawn_wsgi_worker(worker_id, name, loader, ((None, own), shared), *args)  # noqa: SLF001  granian lets nobody else give a worker its socket
        # All requests are answered. A refresh may go on without its request, and its token would be lost.
        finish_calls(within_s=REFRESH_DEADLINE_S)

    def _stop_workers(self) -> None:
        """Let each worker finish its open requests, as granian does, after it has emptied its listening socket."""
        for worker in self.wrks:
            worker.interrupt_by_parent = True
            if worker.inner.pid is not None:
                with suppress(ProcessLookupError):
                    os.kill(worker.inner.pid, STOP_SIGNAL)
        end = time.monotonic() + (self.workers_kill_timeout or 0)
        for worker in self.wrks:
            # Not `is_alive`, which is wrong for a moment while granian's own thread waits for the same process.
            if not wait([worker.inner.sentinel], max(0.0, end - time.monotonic())):
                logger.warning("stopping: the open requests of worker %d take too long and are cut", worker.inner.pid)
                worker.inner.kill()
            worker.inner.join()
        self.wrks.clear()

    def signal_handler_reload(self, *_: object) -> None:
        """SIGHUP: say that it does nothing. New workers of granian's would run the code that is loaded already."""
        logger.error("SIGHUP does nothing: a new release needs a restart (systemctl restart), one server after another")

    def _respawn_workers(
        self,
        workers: list[int],
        spawn_target: Callable[..., None],
        target_loader: Callable[..., Any],
        delay: float = 0,
    ) -> None:
        if any(time.monotonic() - self.wrks[index].birth < SHORT_LIFE_S for index in workers):
            time.sleep(SHORT_LIFE_S)
        super()._respawn_workers(workers, spawn_target, target_loader, delay)
        self.respawned_wrks.clear()
        # The signal of a worker that died while another one was replaced has been lost.
        for worker in self.wrks:
            if not worker.inner.is_alive() and worker.idx not in self.interrupt_children:
                self.interrupt_children.append(worker.idx)
        if self.interrupt_children:
            self.main_loop_interrupt.set()


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
    :param log_config: for :func:`logging.config.dictConfig`, so that granian's lines have the same form as ours.
    """
    server = PersistentServer(
        target=target,
        address=host,
        port=port,
        interface=Interfaces.WSGI,
        workers=workers,
        blocking_threads=threads,
        respawn_failed_workers=True,
        workers_kill_timeout=stop_timeout_s,
        log_level=LogLevels.error,
        log_dictconfig=None if log_config is None else dict(log_config),
        websockets=False,
    )
    server.serve(target_loader=load_watching_parent)


def end_stalled_connections(listener: int) -> None:
    """Let the kernel end each connection of a socket that has acknowledged nothing, or offered no room, for so long.

    :param listener: the descriptor of a listening TCP socket. Its connections inherit the limit.
    """
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux
        with socket.socket(fileno=os.dup(listener)) as same:
            same.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STALLED_CONNECTION_S * 1000)


def load_watching_parent(target: str) -> Any:
    """Import the application in a new worker. The worker ends with its parent, so that no orphan holds the port."""
    end_with_process(os.getppid())
    module, _, attribute = target.partition(":")
    application = getattr(__import__(module, fromlist=[attribute]), attribute)
    return with_plain_content_types(naming_lost_cookies(with_read_bodies(with_whole_bodies(application))))
