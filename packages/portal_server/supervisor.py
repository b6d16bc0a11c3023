"""The process of a server that was started: it has the server prepared once, and supervises the workers.

Several workers share the memory of what their parent has imported and frozen, so the parent itself loads the project.
A single worker shares with nobody: it loads the project itself, and the parent stays small
(docs/adr/0055-one-process-prepares.md has the figures).

A server is prepared as soon as its socket listens: that alone tells a worker that failed from a start that failed.
"""

from __future__ import annotations

import gc
import importlib
import logging
import os
import signal
import sys
import warnings
from argparse import Namespace
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from portal_server.parent_watch import end_with_process
from portal_server.ports import listens, new_socket
from portal_server.readiness import ServiceManager
from portal_server.static_files import private_folders
from portal_server.workers import LineHandler, Workers, in_child_process, stop

if TYPE_CHECKING:
    import socket


def supervise(
    options: Namespace, *, app: str, target: str, load: Callable[[], None], prepare: Callable[[socket.socket], None]
) -> None:
    """Serve until SIGTERM or SIGINT.

    :param options: `host`, `workers`, `threads`, `stop_timeout` and `end_with_parent` of the command `serve`.
    :param target: the WSGI application, `module:attribute`.
    :param load: imports what the application needs, and starts no thread.
    :param prepare: has the socket listen when all is ready. Called once, in a child process that ends. If the socket
        does not listen then, this process ends with the same status.
    """
    own, parent = os.getpid(), os.getppid()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    logging.getLogger().addHandler(LineHandler(app))

    def begin() -> Callable[[], None]:
        """Load the application, and have the server prepared if it is not; return the work of each worker."""
        import_requests()
        load()
        if not listens(listener):
            status = in_child_process(partial(prepare, listener))
            if not listens(listener):
                sys.exit(status)
        from portal_server.granian_worker import run_worker  # noqa: PLC0415  the parent of one worker has no use for it

        # The collector marks each object that it looks at, and would so copy the memory that workers share.
        gc.collect()
        gc.freeze()
        return partial(run_worker, listener, target=target, threads=options.threads, parent=own)

    def serve_alone() -> None:
        begin()()

    with private_folders(app=app):
        if options.end_with_parent:
            end_with_process(parent)
        manager, listener = ServiceManager(), new_socket(options.host)
        manager.tell_when_ready(listener)
        Workers(
            begin() if options.workers > 1 else serve_alone,
            listener,
            # The command refuses any other number.
            count=max(1, options.workers),
            stop_timeout_s=options.stop_timeout,
            tell_alive=manager.tell_alive,
        ).run()


def import_requests() -> None:
    """Import requests without what guesses the encoding of a text, 3 MiB of each worker: the backend speaks JSON."""
    modules: dict[str, Any] = sys.modules
    guessing = ("chardet", "charset_normalizer")
    # Python takes None for a module that is not there. requests warns that it can't guess.
    modules.update(dict.fromkeys(guessing))
    with warnings.catch_warnings(action="ignore"):
        importlib.import_module("requests")
    for name in guessing:
        del modules[name]
