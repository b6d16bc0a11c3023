"""A scripted HTTP server on a real socket, for what a mock can't show: time, bytes and connections."""

import contextlib
import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO
from urllib.parse import parse_qsl

FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Received:
    """One request as it came over the wire.

    :ivar headers: by their names in lower case.
    :ivar connection: the number of its connection.
    """

    line: str
    headers: dict[str, str]
    body: bytes
    connection: int

    @property
    def method(self) -> str:
        return self.line.split()[0]

    @property
    def target(self) -> str:
        """Path and query, as they were sent."""
        return self.line.split()[1]

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
        """Return the body, which is a form or JSON; an empty mapping if there is none."""
        if self.headers.get("content-type") == FORM:
            return dict(parse_qsl(self.body.decode()))
        return json.loads(self.body) if self.body else {}


Answer = Callable[[Received, socket.socket], None]


def reply(body: bytes = b"{}", *, status: str = "200 OK", headers: str = "") -> bytes:
    """A whole HTTP response."""
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode()
        + body
    )


def _read_body(reader: BinaryIO, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding") != "chunked":
        return reader.read(int(headers.get("content-length", 0)))
    body = b""
    while size := int(reader.readline(), 16):
        body += reader.read(size)
        reader.readline()
    reader.readline()
    return body


class ScriptedServer:
    """Answers each request with what `answer` writes to the socket; :meth:`stop` is an outage.

    :ivar connections: the number of connections that came.
    """

    def __init__(self, answer: Answer, *, tls: ssl.SSLContext | None = None) -> None:
        self.received: list[Received] = []
        self.connections = 0
        self._answer, self._tls = answer, tls
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self._address = self._listener.getsockname()
        self.port: int = self._address[1]
        self.url = f"{'http' if tls is None else 'https'}://127.0.0.1:{self.port}"
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()
        self._held: socket.socket | None = None

    def stop(self) -> None:
        """Close everything. Nothing listens there any more; the port stays taken, so that nobody else does either."""
        if self._held is not None:
            return
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._threads[0].join(10)
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._held = socket.socket()
        self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._held.bind(self._address)

    def release(self) -> None:
        """Stop, wait for what is being answered, and give the port back."""
        self.stop()
        for thread in self._threads:
            thread.join(10)
        if self._held is not None:
            self._held.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            self._threads.append(threading.Thread(target=self._serve, args=(connection, self.connections), daemon=True))
            self._threads[-1].start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        with contextlib.suppress(OSError), connection:
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
                self._open.append(connection)
            with connection, connection.makefile("rb") as reader:
                while line := reader.readline():
                    headers = {}
                    while (header := reader.readline()) not in {b"\r\n", b""}:
                        name, _, value = header.decode().partition(":")
                        headers[name.strip().lower()] = value.strip()
                    request = Received(line.decode().strip(), headers, _read_body(reader, headers), number)
                    self.received.append(request)
                    self._answer(request, connection)


@contextlib.contextmanager
def scripted_server(answer: Answer, *, tls: ssl.SSLContext | None = None) -> Iterator[ScriptedServer]:
    """A server on a free port, running inside the block."""
    server = ScriptedServer(answer, tls=tls)
    try:
        yield server
    finally:
        server.release()
