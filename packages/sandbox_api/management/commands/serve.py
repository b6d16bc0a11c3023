"""Serve the sandbox with a production server."""

import logging
import os
import signal
import socket
import threading
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections
from granian.constants import Interfaces
from granian.log import LogLevels
from granian.server import Server

from sandbox_api.demo_accounts import refuse_demo_accounts
from sandbox_api.idempotency import purge_ended

_STOP_TIMEOUT = 1
"""Seconds that requests in flight are given when the server is told to stop."""


class Command(BaseCommand):
    """Serve until SIGTERM or SIGINT; both end it within 2 s."""

    help = "Serve with granian."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8100)
        parser.add_argument("--workers", type=int, default=1, help="processes")
        parser.add_argument("--threads", type=int, default=8, help="per process")
        parser.add_argument(
            "--end-with-parent", action="store_true", help="stop as soon as the process that started this one is gone"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        refuse_demo_accounts()
        _refuse_taken_port(options["host"], options["port"])
        if options["end_with_parent"]:
            _end_with_parent()
        purge_ended()
        connections.close_all()  # the workers open their own
        logging.getLogger("sandbox_api").info("serving at http://%s:%s", options["host"], options["port"])
        Server(
            "sandbox_api.wsgi:application",
            address=options["host"],
            port=options["port"],
            interface=Interfaces.WSGI,
            log_level=LogLevels.error,
            workers=options["workers"],
            blocking_threads=options["threads"],
            workers_kill_timeout=_STOP_TIMEOUT,
            respawn_failed_workers=True,
            websockets=False,
        ).serve()


def _end_with_parent() -> None:
    """Send this process SIGTERM when its parent is gone, however the parent ended: no orphan keeps the port."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="watch-parent", daemon=True).start()


def _refuse_taken_port(host: str, port: int) -> None:
    """Refuse a port that someone listens at: the server itself would share it, and each get some requests."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections that just ended don't count
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CommandError(f"can't listen at {host}:{port}: {error.strerror}; choose another --port") from error
