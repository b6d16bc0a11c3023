"""A scripted HTTP server on a real socket, for what a mock can't show: time, bytes and connections."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO


@dataclass
class Received:
    """One request as it came over the wire."""

    line: str
    headers: dict[str, str]
    body: bytes
    connection: int


@dataclass
class ScriptedServer:
    """Answers each request with what `answer` writes to the socket."""

    port: int
    scheme: str = "http"
    received: list[Received] = field(default_factory=list)
    connections: int = 0

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"


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


def _serve_on(connection: socket.socket, number: int, server: ScriptedServer, answer: Answer) -> None:
    with connection, connection.makefile("rb") as reader:
        while line := reader.readline():
            headers = {}
            while (header := reader.readline()) not in {b"\r\n", b""}:
                name, _, value = header.decode().partition(":")
                headers[name.strip().lower()] = value.strip()
            request = Received(line.decode().strip(), headers, _read_body(reader, headers), number)
            server.received.append(request)
            answer(request, connection)


@contextlib.contextmanager
def scripted_server(answer: Answer, *, tls: ssl.SSLContext | None = None) -> Iterator[ScriptedServer]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = ScriptedServer(port=listener.getsockname()[1], scheme="http" if tls is None else "https")
    open_sockets: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def serve(connection: socket.socket, number: int) -> None:
        with contextlib.suppress(OSError), connection:
            if tls is not None:
                connection = tls.wrap_socket(connection, server_side=True)
                open_sockets.append(connection)
            _serve_on(connection, number, server, answer)

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            server.connections += 1
            open_sockets.append(connection)
            threads.append(threading.Thread(target=serve, args=(connection, server.connections), daemon=True))
            threads[-1].start()

    acceptor = threading.Thread(target=accept, daemon=True)
    acceptor.start()
    try:
        yield server
    finally:
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        acceptor.join(10)
        for connection in open_sockets:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(10)
