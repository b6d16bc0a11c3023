"""An HTTP server in a thread: it answers each call with what a function says."""

import contextlib
import json
import socket
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from tests.support.http_server import Received, ScriptedServer, scripted_server

Call = Received


@dataclass(frozen=True)
class Reply:
    """What is answered."""

    status: int
    body: bytes = b""
    headers: Iterable[tuple[str, str]] = ()


def json_reply(status: int, document: Any) -> Reply:
    """A document; None is none."""
    body = b"" if document is None else json.dumps(document).encode()
    return Reply(status, body, [("Content-Type", "application/json")])


@contextlib.contextmanager
def serving(answer: Callable[[Call], Reply | None]) -> Iterator[ScriptedServer]:
    """A server on a free port; an answer that is None hangs up."""

    def write(request: Call, out: socket.socket) -> None:
        found = answer(request)
        if found is None:
            out.shutdown(socket.SHUT_RDWR)
            return
        length = [] if found.status == HTTPStatus.NO_CONTENT else [("Content-Length", str(len(found.body)))]
        head = "".join(f"{name}: {value}\r\n" for name, value in (*found.headers, *length))
        out.sendall(f"HTTP/1.1 {found.status} Answered\r\n{head}\r\n".encode("latin-1") + found.body)

    with scripted_server(write) as server:
        yield server
