"""An HTTP server in a thread: it answers each call with what a function says."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl

PROBLEM = "application/problem+json"


@dataclass(frozen=True)
class Call:
    """One call as it came.

    :ivar target: path and query, as they were sent.
    :ivar headers: by their names in lower case.
    """

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(self.target.partition("?")[2]))

    @property
    def bearer(self) -> str:
        return self.headers.get("authorization", "").removeprefix("Bearer ")

    def data(self) -> Any:
        """The body, which is JSON; None if there is none."""
        return json.loads(self.body) if self.body else None


@dataclass(frozen=True)
class Reply:
    """What is answered."""

    status: int
    body: bytes = b""
    headers: Iterable[tuple[str, str]] = ()


def json_reply(status: int, document: Any, *, content_type: str = "application/json") -> Reply:
    """A document; None is none."""
    body = b"" if document is None else json.dumps(document).encode()
    return Reply(status, body, [("Content-Type", content_type)])


class _Server(ThreadingHTTPServer):
    """Knows its open connections, so that it can hang up on all of them."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self._open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        for connection in tuple(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class Serving:
    """The server while it answers; :meth:`stop` is an outage."""

    def __init__(self, answer: Callable[[Call], Reply | None]) -> None:
        self._server = _Server(_handler(answer))
        self._address = self._server.server_address
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self._held: socket.socket | None = None
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        """From now on nothing listens there; the port stays taken, so that nobody else does either."""
        if self._held is None:
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()
            self._server.hang_up()
            self._held = socket.socket()
            self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._held.bind(self._address)

    def release(self) -> None:
        """End it, and give its port back."""
        self.stop()
        if self._held is not None:
            self._held.close()


def _handler(answer: Callable[[Call], Reply | None]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def __getattr__(self, name: str) -> Any:
            if name.startswith("do_"):
                return self.respond
            raise AttributeError(name)

        def respond(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = answer(Call(self.command, self.path, headers, body))
            if reply is None:
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in reply.headers:
                self.send_header(name, value)
            if reply.status != 204:
                self.send_header("Content-Length", str(len(reply.body)))
            # Who asked may have given up.
            with contextlib.suppress(ConnectionError):
                self.end_headers()
                self.wfile.write(reply.body)

        def log_message(self, *_: object) -> None:
            """Silent."""

    return Handler


@contextlib.contextmanager
def serving(answer: Callable[[Call], Reply | None]) -> Iterator[Serving]:
    """A server on a free port; an answer that is None hangs up."""
    server = Serving(answer)
    try:
        yield server
    finally:
        server.release()
