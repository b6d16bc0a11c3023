"""How many requests a second a server answers: a load generator in one thread, on keep-alive connections."""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from tests.support.ports import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

CONNECTIONS = 16


_SERVE = """
import sys
from portal.server.workers import serve_wsgi
serve_wsgi(target=sys.argv[1], host="127.0.0.1", port=int(sys.argv[2]), workers=1, threads=8)
"""


@contextlib.contextmanager
def server(target: str, *, core: int | None) -> Iterator[int]:
    """The WSGI application `target` on the production server, in a process of its own; gives its port.

    :param core: the one core that it may use; None where the machine has no choice.
    """
    port = free_port()
    process = subprocess.Popen([sys.executable, "-c", _SERVE, target, str(port)])
    try:
        if core is not None:
            os.sched_setaffinity(process.pid, {core})
        _wait_until_it_answers(port, process)
        yield port
    finally:
        process.terminate()
        process.wait(timeout=10)


def _wait_until_it_answers(port: int, process: subprocess.Popen[bytes], *, within_s: float = 30) -> None:
    end = time.monotonic() + within_s
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise RuntimeError(f"nothing answers on port {port}")


def answer_to(port: int, request: bytes) -> bytes:
    """The head of one answer, for checking that what is measured is what is meant."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request)
        return connection.recv(65_536)


def rate(port: int, request: bytes, *, seconds: float) -> float:
    """Requests answered in a second, each connection sending the next when it has the last answer."""
    selector = selectors.DefaultSelector()
    connections = [socket.create_connection(("127.0.0.1", port)) for _ in range(CONNECTIONS)]
    try:
        for connection in connections:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(connection, selectors.EVENT_READ)
            connection.sendall(request)
        answered, start = 0, time.perf_counter()
        while (now := time.perf_counter()) - start < seconds:
            for key, _ in selector.select(timeout=1):
                connection = key.fileobj
                assert isinstance(connection, socket.socket)
                # Answers without a body arrive whole, and end with the empty line.
                if not connection.recv(65_536).endswith(b"\r\n\r\n"):
                    raise RuntimeError("an answer without an empty body")
                answered += 1
                connection.sendall(request)
        return answered / (now - start)
    finally:
        selector.close()
        for connection in connections:
            connection.close()
