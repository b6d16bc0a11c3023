"""A proxy between the projects and the backend, which records the fate of every token.

It changes nothing, unless a scenario has it answer refreshes with rubbish, or hold the calls to an endpoint.
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
Headers = list[tuple[str, str]]


@dataclass
class TokenRecorder:
    """Records of all tokens.

    :param submitted: refresh token to the number of times that the backend looked at it.
    :param granted: refresh token to the different refresh tokens that it was exchanged for.
    :param refused: refresh token to the number of refusals.
    :param issued: every token that was ever issued.
    :param rubbish: whether refreshes get rubbish, instead of or after the backend's own answer.
    :param hangs: path of an endpoint whose calls are held until `goes_on`; empty for none.
    """

    backend_port: int
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

    def answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, Headers, bytes]:
        """Return the backend's answer, or rubbish in place of its answer to a refresh."""
        if path.partition("?")[0] == self.hangs:
            self.goes_on.wait(HELD_S)
        rubbish = self.rubbish if path == "/refresh" else None
        answer = (0, [], b"") if rubbish == "instead" else self._ask_backend(method, path, headers, body)
        with self.lock:
            if rubbish:
                self._issue(answer[2])
                self.not_looked_at += 1
                status, kind, content = next(self.heap)
                return status, [("Content-Type", kind)], content
            self.requests += 1
            if path == "/refresh":
                self._record(body, answer[0], answer[2])
            elif path == "/auth/login":
                self._issue(answer[2])
        return answer

    def _ask_backend(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, Headers, bytes]:
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.backend_port, timeout=30)) as backend:
            backend.request(method, path, body=body or None, headers=headers)
            with backend.getresponse() as answer:
                return answer.status, answer.getheaders(), answer.read()

    def _issue(self, body: bytes) -> str | None:
        """Record the tokens of an answer, and return its refresh token."""
        with contextlib.suppress(ValueError, KeyError, TypeError):
            tokens = json.loads(body)
            self.issued |= {tokens["accessToken"], tokens["refreshToken"]}
            return str(tokens["refreshToken"])
        return None

    def _record(self, request: bytes, status: int, answer: bytes) -> None:
        token = json.loads(request)["refreshToken"]
        granted = self._issue(answer) if status == http.client.OK else None
        if status in NOT_LOOKED_AT:
            self.not_looked_at += 1
            return
        self.submitted[token] += 1
        if granted is None:
            self.refused[token] += 1
        else:
            self.granted[token].add(granted)

    @property
    def refreshes(self) -> int:
        """Number of tokens that were exchanged."""
        with self.lock:
            return len(self.granted)

    @property
    def repeats(self) -> int:
        """Number of submissions that the backend answered as before, by their Idempotency-Key."""
        with self.lock:
            return sum(self.submitted[token] - self._uses(token) for token in self.submitted)

    @property
    def most_per_token(self) -> int:
        """Number of uses of the most used token: each different answer to it is a use."""
        with self.lock:
            return max((self._uses(token) for token in self.submitted), default=0)

    def _uses(self, token: str) -> int:
        return len(self.granted.get(token, ())) + self.refused[token]


class _Handler(BaseHTTPRequestHandler):
    """Forwards a request through the recorder."""

    protocol_version = "HTTP/1.1"
    # An answer in two packets would wait for the acknowledgement of the first.
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def forward(self) -> None:
        """Answer a request of any method."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        sent = {name: value for name, value in self.headers.items() if name.lower() not in _HOP_BY_HOP | {"host"}}
        status, headers, content = self.server.recorder.answer(self.command, self.path, sent, body)
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in _HOP_BY_HOP:
                self.send_header(name, value)
        if status != http.client.NO_CONTENT:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PATCH = do_DELETE = forward  # noqa: N815  the server's names

    def log_message(self, *_: object) -> None:
        """Log nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    recorder: TokenRecorder

    def handle_error(self, *_: object) -> None:
        """Ignore broken connections: a worker that was killed leaves them."""


@contextlib.contextmanager
def recording_tokens(backend_port: int) -> Iterator[TokenRecorder]:
    """Run a recorder in front of the backend on this port of the machine."""
    server = _Server(("127.0.0.1", 0), _Handler)
    url = f"http://127.0.0.1:{server.server_port}"
    server.recorder = TokenRecorder(backend_port, url)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.recorder
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
