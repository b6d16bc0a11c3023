"""A backend in a thread that agrees with the tokens, or does not: which, the tokens themselves say.

Each token carries the attitude with which it is to be answered, so one backend serves many journeys at once. Beside
the sign-in it knows the profile, lists of one bare row, and a summary for each platform.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt

from portal.config.platforms import PLATFORMS

KEY = "the key of a backend that is made for tests"
GRANTED_S = 300
_PERMISSION_OF = {platform.prefix: platform.permission for platform in PLATFORMS}


class Attitude(Enum):
    """How the backend answers the holder of a token."""

    AGREES = "/me says what the token says"
    OTHER_PERMISSIONS = "/me says something else, and so do refreshed tokens"
    NO_PERMISSIONS = "/me says: no permissions, and so do refreshed tokens"
    REJECTS_ME = "401 on /me alone, with refreshed tokens too"
    REJECTS_OLD = "401 until the tokens are refreshed"
    REJECTS = "401 on everything, with refreshed tokens too"
    REFUSES_REFRESH = "401 on everything, the refresh included"
    CANNOT_REFRESH = "401 on everything, and 503 on the refresh"
    UNAVAILABLE = "503 on everything"
    DOWN = "nothing listens any more"


_REJECTING = {Attitude.REJECTS, Attitude.REFUSES_REFRESH, Attitude.CANNOT_REFRESH}


class OpinionatedBackend:
    """Mints tokens, and checks those that come back.

    :ivar presented_again: refresh tokens that came once more after they had been granted.
    """

    def __init__(self) -> None:
        self.url = ""
        self.presented_again: list[str] = []
        self._spent: set[str] = set()
        self._lock = threading.Lock()

    def access(
        self,
        *,
        attitude: Attitude,
        permissions: list[str],
        says: list[str],
        expires_in_s: float | None = GRANTED_S,
        refreshed: bool = False,
        algorithm: str = "HS256",
    ) -> str:
        """An access token with these `permissions`, about which `/me` says `says`."""
        claims = {"sub": "u-1", "permissions": permissions, "jti": secrets.token_hex(8)}
        claims |= {"attitude": attitude.name, "says": says, "refreshed": refreshed}
        if expires_in_s is not None:
            claims["exp"] = int(time.time() + expires_in_s)
        return jwt.encode(claims, KEY if algorithm != "none" else None, algorithm)

    def refresh(self, *, attitude: Attitude, says: list[str]) -> str:
        """A refresh token; the access tokens that it gives have the permissions `says`."""
        claims = {"jti": secrets.token_hex(8), "attitude": attitude.name, "says": says}
        return jwt.encode(claims, KEY, "HS256")

    # --- the answers: a status, and a document ---

    def refreshed(self, token: str) -> tuple[int, Any]:
        """POST /refresh."""
        claims = jwt.decode(token, KEY, ["HS256"])
        attitude, says = Attitude[claims["attitude"]], claims["says"]
        if attitude in {Attitude.CANNOT_REFRESH, Attitude.UNAVAILABLE}:
            return 503, problem(503)
        if attitude is Attitude.REFUSES_REFRESH:
            return 401, problem(401)
        with self._lock:
            if token in self._spent:
                self.presented_again.append(token)
                return 401, problem(401)
            self._spent.add(token)
        return 200, {
            "accessToken": self.access(attitude=attitude, permissions=says, says=says, refreshed=True),
            "refreshToken": self.refresh(attitude=attitude, says=says),
        }

    def answer(self, path: str, bearer: str) -> tuple[int, Any]:
        """GET of a path."""
        try:
            claims = jwt.decode(bearer, KEY, ["HS256"])
        except jwt.InvalidTokenError:
            return 401, problem(401)
        says = claims["says"]
        status = _judged(path, Attitude[claims["attitude"]], says, refreshed=claims["refreshed"])
        if status != 200:
            return status, problem(status)
        if path == "/me":
            return 200, {"id": "u-1", "email": "u@example.com", "name": "U", "permissions": says}
        if path.endswith("/summary"):
            return 200, {"clients": 1}
        return 200, {"items": [{"id": "1"}], "hasNext": False, "nextCursor": None, "total": 1}


def _judged(path: str, attitude: Attitude, says: list[str], *, refreshed: bool) -> int:
    if attitude is Attitude.UNAVAILABLE:
        return 503
    if attitude in _REJECTING or (attitude is Attitude.REJECTS_OLD and not refreshed):
        return 401
    if attitude is Attitude.REJECTS_ME and path == "/me":
        return 401
    needed = _PERMISSION_OF.get("/" + path[1:].partition("/")[0])
    return 200 if needed is None or needed in says else 403


def problem(status: int) -> dict[str, object]:
    """RFC 9457's document."""
    return {"type": "about:blank", "title": "No", "status": status}


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


class Listening:
    """The backend while it answers; :meth:`stop` is the outage."""

    def __init__(self, backend: OpinionatedBackend) -> None:
        self._server = _Server(_handler(backend))
        self._address = self._server.server_address
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._held: socket.socket | None = None
        backend.url = f"http://127.0.0.1:{self._server.server_port}"

    def start(self) -> None:
        self._thread.start()

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
        self.stop()
        if self._held is not None:
            self._held.close()


@contextlib.contextmanager
def opinionated_backend() -> Iterator[tuple[OpinionatedBackend, Listening]]:
    backend = OpinionatedBackend()
    listening = Listening(backend)
    listening.start()
    try:
        yield backend, listening
    finally:
        listening.release()


def _handler(backend: OpinionatedBackend) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_GET(self) -> None:
            bearer = self.headers.get("Authorization", "").removeprefix("Bearer ")
            self.respond(*backend.answer(self.path.partition("?")[0], bearer))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.respond(*(backend.refreshed(body["refreshToken"]) if self.path == "/refresh" else (204, None)))

        def respond(self, status: int, document: Any) -> None:
            content = b"" if document is None else json.dumps(document).encode()
            self.send_response(status)
            if content:
                self.send_header("Content-Type", f"application/{'json' if status < 300 else 'problem+json'}")
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Silent."""

    return Handler
