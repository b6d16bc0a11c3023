"""Stands between the projects and the backend, and writes down what became of every token.

It changes nothing, unless a weather has it answer refreshes with rubbish, or hold the calls to an endpoint.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import threading
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Answers after which a token may be submitted again: the backend has not looked at it.
NOT_LOOKED_AT = frozenset({429, 502, 503, 504})
#: Answers that are no verdict on a token: status, type, body.
RUBBISH = (
    (500, "application/json", b'{"detail": "boom"}'),
    (200, "application/json", b'{"status": "maintenance"}'),
    (200, "text/html", b"<!doctype html><title>Back soon</title>"),
    (200, "application/json", b'[{"data": {"accessToken": "a", "refreshToken": "r"}}]'),
    (404, "text/html", b"<!doctype html><title>Not found</title>"),
    (429, "application/json", b"{}"),
)
#: Longer than any caller waits, seconds.
HELD_S = 60
_HOP_BY_HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"})


@dataclass
class Witness:
    """What was seen.

    :param submitted: refresh token to the number of times that the backend looked at it.
    :param granted: refresh token to the different refresh tokens that it was given for it.
    :param refused: refresh token to the number of refusals.
    :param issued: every token that was ever issued.
    :param rubbish: whether refreshes get rubbish, instead of or after the backend's own answer.
    :param hangs: path of an endpoint whose calls are held until `goes_on`; empty for none.
    """

    url: str = ""
    requests: int = 0
    not_looked_at: int = 0
    submitted: Counter[str] = field(default_factory=Counter)
    granted: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    refused: Counter[str] = field(default_factory=Counter)
    issued: set[str] = field(default_factory=set)
    rubbish: Literal["instead", "after"] | None = None
    hangs: str = ""
    goes_on: threading.Event = field(default_factory=threading.Event)
    heap: Iterator[tuple[int, str, bytes]] = field(default_factory=lambda: itertools.cycle(RUBBISH))
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, path: str, request: bytes, status: int, answer: bytes) -> None:
        """Note one exchange."""
        with self.lock:
            self.requests += 1
        if path == "/refresh":
            self._refresh(request, status, answer)
        elif path == "/auth/login":
            self._issue(answer)

    def throw_away(self, answer: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        """Rubbish in place of the backend's answer to a refresh, which may hold tokens."""
        self._issue(answer)
        with self.lock:
            self.not_looked_at += 1
            status, kind, content = next(self.heap)
        return status, [("Content-Type", kind)], content

    def _issue(self, body: bytes) -> str | None:
        """Note the tokens of an answer; its refresh token."""
        try:
            tokens = json.loads(body)
        except ValueError:
            return None
        if not isinstance(tokens, dict) or "refreshToken" not in tokens:
            return None
        with self.lock:
            self.issued |= {tokens["accessToken"], tokens["refreshToken"]}
        return str(tokens["refreshToken"])

    def _refresh(self, request: bytes, status: int, answer: bytes) -> None:
        """Note one submission and what came of it."""
        token = json.loads(request)["refreshToken"]
        given = self._issue(answer) if status == http.client.OK else None
        with self.lock:
            if status in NOT_LOOKED_AT:
                self.not_looked_at += 1
                return
            self.submitted[token] += 1
            if given is None:
                self.refused[token] += 1
            else:
                self.granted[token].add(given)

    @property
    def refreshes(self) -> int:
        """How many tokens were exchanged."""
        with self.lock:
            return len(self.granted)

    @property
    def repeats(self) -> int:
        """How many submissions the backend answered as before, by their Idempotency-Key."""
        with self.lock:
            return sum(self.submitted[token] - self._uses(token) for token in self.submitted)

    @property
    def most_per_token(self) -> int:
        """How often the most used token was used: each different answer to it is a use."""
        with self.lock:
            return max((self._uses(token) for token in self.submitted), default=0)

    def _uses(self, token: str) -> int:
        return len(self.granted.get(token, ())) + self.refused[token]


class _Handler(BaseHTTPRequestHandler):
    """Forwards a request, and tells the witness of it."""

    protocol_version = "HTTP/1.1"
    # An answer in two packets would wait for the acknowledgement of the first.
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server
    backend: http.client.HTTPConnection | None = None

    def forward(self) -> None:
        """Any method."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.partition("?")[0] == self.server.seen.hangs:
            self.server.seen.goes_on.wait(HELD_S)
        seen, rubbish = self.server.seen, self.server.seen.rubbish if self.path == "/refresh" else None
        status, headers, content = (0, [], b"") if rubbish == "instead" else self.ask_backend(body)
        if rubbish:
            status, headers, content = seen.throw_away(content)
        else:
            seen.note(self.path, body, status, content)
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in _HOP_BY_HOP:
                self.send_header(name, value)
        if status != http.client.NO_CONTENT:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def ask_backend(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        """Send it on; once more where a kept connection had been closed meanwhile and nothing was sent."""
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP_BY_HOP | {"host"}}
        fresh = self.backend is None or self.command == "POST"
        if fresh or self.backend is None:
            self.close_backend()
            self.backend = http.client.HTTPConnection("127.0.0.1", self.server.backend_port, timeout=30)
        try:
            self.backend.request(self.command, self.path, body=body or None, headers=headers)
            with self.backend.getresponse() as answer:
                return answer.status, answer.getheaders(), answer.read()
        except (OSError, http.client.HTTPException):
            self.close_backend()
            if fresh:
                raise
        return self.ask_backend(body)

    def close_backend(self) -> None:
        """Forget the kept connection."""
        if self.backend is not None:
            self.backend.close()
            self.backend = None

    def finish(self) -> None:
        self.close_backend()
        super().finish()

    do_GET = do_POST = do_PATCH = do_DELETE = forward  # noqa: N815  the server's names

    def log_message(self, *_: object) -> None:
        """Silent."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, *, backend_port: int, seen: Witness) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.backend_port = backend_port
        self.seen = seen

    def handle_error(self, *_: object) -> None:
        """A worker that was killed leaves broken connections; they are part of the storm."""


@contextlib.contextmanager
def witness(backend_port: int) -> Iterator[Witness]:
    """A witness in front of the backend on this port of the machine."""
    seen = Witness()
    server = _Server(backend_port=backend_port, seen=seen)
    seen.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
