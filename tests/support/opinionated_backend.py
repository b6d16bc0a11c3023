"""A backend in a thread that agrees with the tokens, or does not: which, the tokens themselves say.

Each token carries the attitude with which it is to be answered, so one backend serves many journeys at once. Beside
the sign-in it knows the profile, lists of one bare row, and a summary for each platform.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Iterator
from enum import Enum
from typing import Any

import jwt

from portal.config.platforms import PLATFORMS
from tests.support.serving import PROBLEM, Call, Reply, Serving, json_reply, serving

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


@contextlib.contextmanager
def opinionated_backend() -> Iterator[tuple[OpinionatedBackend, Serving]]:
    """The backend, and the server that may be stopped."""
    backend = OpinionatedBackend()

    def answer(call: Call) -> Reply:
        if call.method == "GET":
            status, document = backend.answer(call.path, call.bearer)
        else:
            status, document = (
                backend.refreshed(call.data()["refreshToken"]) if call.path == "/refresh" else (204, None)
            )
        return json_reply(status, document, content_type="application/json" if status < 300 else PROBLEM)

    with serving(answer) as server:
        backend.url = server.url
        yield backend, server
