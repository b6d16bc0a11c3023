"""One worker: granian, which serves a WSGI application in this process until it is told to stop.

It ends connections that take nothing, and loses no request when it stops.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import struct
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import granian._signals
from granian._granian import WorkerSignal
from granian.constants import Interfaces
from granian.log import LogLevels
from granian.server.mp import MPServer

from portal.config.limits import REFRESH_DEADLINE_S
from portal.process import finish_calls
from portal.server.imported_later import import_later
from portal.server.parent_watch import end_with_process
from portal.server.wsgi import naming_lost_cookies, with_plain_content_types, with_read_bodies, with_whole_bodies

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


#: From `linux/socket.h`; Python has no name for it.
_SO_ATTACH_FILTER: Final = 26
#: A filter of the kernel (BPF): drop the first packet of a connection, which alone has the flag SYN; keep the others.
#: Each instruction is an operation, two jumps and an operand; the flags are octet 13 of a TCP header.
_FILTER: Final = b"".join(
    struct.pack("=HBBI", *instruction)
    for instruction in (
        (0x30, 0, 0, 13),  # load octet 13
        (0x45, 0, 1, 0x02),  # has it the bit SYN? else skip one instruction
        (0x06, 0, 0, 0),  # drop
        (0x06, 0, 0, 0xFFFFFFFF),  # keep
    )
)
_INSTRUCTION_BYTES: Final = 8
#: Of a listening socket this field of `struct tcp_info` is the number of connections that wait to be accepted.
_WAITING: Final = struct.Struct("=24xI")

#: Seconds for a handshake that had begun, and for a thread that has accepted a connection, to end.
HANDSHAKE_WAIT_S: Final = 0.005
#: Longest wait until every connection is accepted, seconds.
DRAIN_TIMEOUT_S: Final = 2.0


def drain(listener: int) -> None:
    """Take no new connection, and wait until those that are there are accepted. The caller then closes the socket.

    A client that connects in between gets no answer. It tries again after 1 s, as TCP does, and is refused, so a proxy
    takes another server. Does nothing on other systems than Linux. Some kernels and container runtimes let root alone
    attach a filter: there a client that connects in the very moment of the close is reset.

    :param listener: the descriptor of a listening TCP socket; another thread accepts its connections.
    """
    if not sys.platform.startswith("linux"):
        return
    with socket.socket(fileno=os.dup(listener)) as same:
        _drop_new_connections(same)
        end = time.monotonic() + DRAIN_TIMEOUT_S
        time.sleep(HANDSHAKE_WAIT_S)
        while _waiting_connections(same) and time.monotonic() < end:
            time.sleep(HANDSHAKE_WAIT_S)


def _drop_new_connections(listener: socket.socket) -> None:
    program = ctypes.create_string_buffer(_FILTER, len(_FILTER))
    # `struct sock_fprog`: the number of instructions, and where they are.
    value = struct.pack("@HP", len(_FILTER) // _INSTRUCTION_BYTES, ctypes.addressof(program))
    # A worker that ends here with an error would cut its open requests.
    with suppress(OSError):
        listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, value)


def _waiting_connections(listener: socket.socket) -> int:
    (waiting,) = _WAITING.unpack(listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _WAITING.size))
    return int(waiting)


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
    import_later()
    module, _, attribute = target.partition(":")
    application = getattr(__import__(module, fromlist=[attribute]), attribute)
    return with_plain_content_types(naming_lost_cookies(with_read_bodies(with_whole_bodies(application))))
