"""An HTTP server in a thread: it answers each call with what a function says."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from tests.support.http_server import Received, ScriptedServer, scripted_server

FORM = "application/x-www-form-urlencoded"


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
        """The body, which is a form or JSON; an empty mapping if there is none."""
        if self.headers.get("content-type") == FORM:
            return dict(parse_qsl(self.body.decode()))
        return json.loads(self.body) if self.body else {}


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


@contextlib.contextmanager
def serving(answer: Callable[[Call], Reply | None]) -> Iterator[ScriptedServer]:
    """A server on a free port; an answer that is None hangs up."""

    def write(request: Received, out: socket.socket) -> None:
        method, target, _ = request.line.split(" ", 2)
        found = answer(Call(method, target, request.headers, request.body))
        if found is None:
            out.shutdown(socket.SHUT_RDWR)
            return
        length = [] if found.status == HTTPStatus.NO_CONTENT else [("Content-Length", str(len(found.body)))]
        head = "".join(f"{name}: {value}\r\n" for name, value in (*found.headers, *length))
        out.sendall(f"HTTP/1.1 {found.status} Answered\r\n{head}\r\n".encode("latin-1") + found.body)

    with scripted_server(write) as server:
        yield server
