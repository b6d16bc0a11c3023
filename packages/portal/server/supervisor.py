"""The parent process of one server's workers. It imports Django only where its workers share that memory.

A child process imports the project. What is done once before the start (options, checks, collected files) is done in
its child, which sends what the server has to know and ends: its memory is free again. Then the first goes on as the
worker, if there is to be one. The parent stays the process that was started: the same id and command line, and it
removes the private folder at its end, whatever the end is but SIGKILL. docs/adr/0021-a-light-parent.md has the figures.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from portal.server.parent_watch import Heartbeat, end_with_process
from portal.server.ports import listen, new_socket
from portal.server.readiness import ServiceManager
from portal.server.static_files import private_folders
from portal.server.workers import Worker, Workers, live_as_worker, work

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from types import FrameType

    from portal.server.workers import PreparedServer

    _Send = Callable[[PreparedServer], None]


def supervise(
    prepare: Callable[[], PreparedServer], *, load: Callable[[], None], load_shared: Callable[[], None], app: str
) -> None:
    """Prepare a server in child processes, then serve until SIGTERM or SIGINT.

    :param prepare: called in a child process that ends, with the variables of the private folders set. If it raises
        `SystemExit`, or dies, this process ends with the same status.
    :param load: imports what the application needs, and starts no thread. Called before `prepare`, in the process that
        becomes the worker.
    :param load_shared: called after both in this process, if there are several workers: they share the memory of what
        their parent has imported.
    """
    parent = os.getppid()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stop)
    with private_folders(app=app):
        first: Worker | None
        manager, shared = ServiceManager(), _Shared(os.getpid(), _sockets(), Heartbeat())
        server, environment, child = _in_child_process(partial(_prepare_and_work, prepare, load, shared))
        first = Worker(child, shared.heartbeat)
        try:
            # A worker then reads the values that were checked, also those of the `.env` file, however late it starts.
            os.environ.update(environment)
            if server.ends_with_parent:
                end_with_process(parent)
            if server.workers > 1:
                os.waitpid(child, 0)
                first = None
                load()
                load_shared()
                import portal.server.granian_worker  # noqa: F401, PLC0415  with one worker, the parent has no use for it
            # As below.
            gc.collect()
            gc.freeze()
            manager.tell_when_ready(server.port)
            Workers(server, shared.listener(server.host), first=first, tell_alive=manager.tell_alive).run()
        except SystemExit:
            if first is not None:
                _end(child)
            raise


class _Shared(NamedTuple):
    """What this process and the child that prepares the server have in common.

    :param sockets: by whether it is for IPv6, which some machines lack. When one process listens with one, both do.
    """

    parent: int
    sockets: dict[bool, socket.socket]
    heartbeat: Heartbeat

    def listener(self, host: str) -> socket.socket:
        """Take the socket for this host; the other one is closed."""
        listener = self.sockets.pop(":" in host)
        for other in self.sockets.values():
            other.close()
        return listener


def _sockets() -> dict[bool, socket.socket]:
    """None of them listens yet: the host is not known."""
    sockets = {False: new_socket("0.0.0.0")}  # noqa: S104  it says the family
    with suppress(OSError):
        sockets[True] = new_socket("::")
    return sockets


def _stop(_number: int, _frame: FrameType | None) -> NoReturn:
    """End with status 0, until the handlers of :class:`~portal.server.workers.Workers` take over."""
    sys.exit(0)


def _in_child_process(live: Callable[[_Send], None]) -> tuple[PreparedServer, dict[str, str], int]:
    """Fork; gives what the child sends, and its process id. Ends this process as the child ends if it sends nothing.

    The environment contains secrets, so it goes through a pipe and not into a command line.

    :param live: what the child does. It gets what sends, once. No thread runs in this process yet.
    """
    readable, writable = os.pipe()
    # The collector marks each object that it looks at, and would so copy the memory that both share.
    gc.freeze()
    # A stop that comes now waits until the child is known: else nobody would end it.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(readable)
        live_as_worker(partial(live, partial(_send, writable)))
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(writable)
        with os.fdopen(readable, "rb") as pipe:
            server, environment = pickle.load(pipe)  # noqa: S301  sent by this very code
            return server, environment, child
    except EOFError:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        # As a shell gives the status of a process that a signal has ended.
        sys.exit(status if status >= 0 else 128 - status)
    except SystemExit:
        _end(child)
        raise


def _end(child: int) -> None:
    """End a child process, if it has not ended, since this one was told to stop."""
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(child, signal.SIGTERM)
        os.waitpid(child, 0)


def _send(pipe: int, server: PreparedServer) -> None:
    """Send it with the environment of this process."""
    with os.fdopen(pipe, "wb") as file:
        pickle.dump((server, dict(os.environ)), file)


def _prepare_and_work(
    prepare: Callable[[], PreparedServer], load: Callable[[], None], shared: _Shared, send: _Send
) -> None:
    # Until it works: so that its child ends with it.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stop)
    load()
    server, environment, child = _in_child_process(lambda tell: tell(prepare()))
    os.waitpid(child, 0)
    os.environ.update(environment)
    listener = shared.listener(server.host)
    # Another server may have taken the port while this one was prepared.
    if refusal := listen(listener, server.host, server.port):
        sys.exit(refusal)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    send(server)
    if server.workers == 1:
        shared.heartbeat.begin()
        work(server, listener=listener, parent=shared.parent)
