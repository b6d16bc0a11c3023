"""The parent process of one server's workers. It imports Django only where its workers share that memory.

What needs Django before the start (options, checks, collected files) is done in a child process. The child sends what
the server has to know and ends, and its memory is free again. The parent stays the process that was started: the same
id and command line, and it removes the private folder at its end, whatever the end is but SIGKILL.
docs/adr/0021-a-light-parent.md has the figures.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from portal.server.parent_watch import end_with_process
from portal.server.readiness import tell_when_ready
from portal.server.static_files import private_folders
from portal.server.workers import WORKER_STOP_TIMEOUT_S, serve_wsgi

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from multiprocessing.connection import Connection
    from types import FrameType


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedServer:
    """A server that may start: its options are sound, its checks have passed, its files are collected.

    :param target: the WSGI application, `module:attribute`.
    :param threads: for each worker.
    :param stop_timeout_s: as :func:`portal.server.workers.serve_wsgi`.
    :param ends_with_parent: whether it stops as soon as the process that started it is gone.
    :param log_config: as :func:`portal.server.workers.serve_wsgi`.
    """

    target: str
    host: str
    port: int
    workers: int
    threads: int
    ends_with_parent: bool
    log_config: Mapping[str, Any] | None
    stop_timeout_s: int = WORKER_STOP_TIMEOUT_S


def supervise(prepare: Callable[[], PreparedServer], *, load: Callable[[], None], app: str) -> None:
    """Prepare a server in a child process, then serve until SIGTERM or SIGINT.

    :param prepare: called in the child process, with the variables of the private folders set. If it raises
        `SystemExit`, or dies, this process ends with the same status.
    :param load: imports what the application needs, and starts no thread. Called before the workers are forked, if
        there are several: they share the memory of what their parent has imported.
    """
    parent = os.getppid()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stop)
    with private_folders(app=app):
        server = _in_child_process(prepare)
        if server.ends_with_parent:
            end_with_process(parent)
        if server.workers > 1:
            load()
            import portal.server.granian_worker  # noqa: F401, PLC0415  with one worker, the parent has no use for it
        # The collector marks each object that it looks at, and would so copy the memory that the workers share.
        gc.collect()
        gc.freeze()
        tell_when_ready(server.port)
        serve_wsgi(
            target=server.target,
            host=server.host,
            port=server.port,
            workers=server.workers,
            threads=server.threads,
            stop_timeout_s=server.stop_timeout_s,
            log_config=server.log_config,
        )


def _stop(_number: int, _frame: FrameType | None) -> NoReturn:
    """End with status 0, until the handlers of :class:`~portal.server.workers.Workers` take over."""
    sys.exit(0)


def _in_child_process(prepare: Callable[[], PreparedServer]) -> PreparedServer:
    """Run `prepare` in a child process; this one goes on with its environment.

    A worker then reads the values that were checked, also those of the `.env` file, however late it is started. They
    contain secrets, so they go through a pipe and not into a command line.
    """
    # A fork, so that `prepare` may be any function. No thread runs in this process yet.
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_prepare_and_send, args=(prepare, sender))
    try:
        child.start()
        sender.close()
        server: PreparedServer
        server, environment = receiver.recv()
        child.join()
    except EOFError:
        child.join()
        status = child.exitcode or 0
        # As a shell gives the status of a process that a signal has ended.
        sys.exit(status if status >= 0 else 128 - status)
    finally:
        # It has ended by itself, unless this process is told to stop.
        if child.pid is not None:
            child.kill()
            child.join()
    os.environ.update(environment)
    return server


def _prepare_and_send(prepare: Callable[[], PreparedServer], sender: Connection) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    sender.send((prepare(), dict(os.environ)))
