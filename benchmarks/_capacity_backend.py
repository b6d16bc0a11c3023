"""A backend of many users for the capacity run: each has a profile, tokens that end soon, and the same rows.

    python -m benchmarks._capacity_backend PORT TOKEN_LIFE_S

`GET /counts` gives the calls so far, by kind.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import json
import secrets
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, ClassVar, Final

import jwt

from benchmarks._page_rows import KEY
from benchmarks._stub_backend import CITIES, FOUND, NOTHING_FOUND, PERMISSION, Connection, response_of
from portal.config.contract_names import NOBODYS_WORD
from portal.testing.shapes import problem_of, profile_of

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Characters of a refresh token, and of what fills an access token: real ones have 1 to 2 KB.
TOKEN_CHARS: Final = 1_000
#: How many rows have each value of a filter: a page of a list that is searched asks for that too.
COUNTS: Final = {"city": dict.fromkeys(CITIES, 48)}


def access_token(user: str, *, life_s: float) -> str:
    """One that is valid from now on for so long."""
    now = time.time()
    claims = {"sub": user, "permissions": [PERMISSION], "iat": int(now), "exp": now + life_s, "jti": f"{now:.9f}"}
    # Random, because records of tokens are compressed.
    return jwt.encode(claims | {"filling": secrets.token_hex(TOKEN_CHARS // 4)}, KEY, algorithm="HS256")


def refresh_token(user: str, number: int) -> str:
    """The user's, opaque to the portal."""
    return f"{user}.{number}.{secrets.token_urlsafe(TOKEN_CHARS)}"[:TOKEN_CHARS]


class _Protocol(Connection):
    """A call is a GET, or a POST with a body."""

    counts: ClassVar[Counter[str]] = Counter()
    numbers: ClassVar = itertools.count(1)
    life_s: ClassVar = 300.0

    def data_received(self, data: bytes) -> None:
        self.received += data
        while b"\r\n\r\n" in self.received:
            head, _, rest = self.received.partition(b"\r\n\r\n")
            method, target, _ = head.split(b" ", 2)
            headers = {
                name.strip().lower(): value.strip()
                for name, _, value in (line.partition(b":") for line in head.split(b"\r\n")[1:])
            }
            length = int(headers.get(b"content-length", b"0"))
            if len(rest) < length:
                return
            self.received = rest[length:]
            self.transport.write(self._answer(method, target.decode(), headers, rest[:length]))

    def _answer(self, method: bytes, target: str, headers: Mapping[bytes, bytes], body: bytes) -> bytes:
        path = target.partition("?")[0]
        if path == "/counts":
            return response_of(200, dict(self.counts))
        if method == b"POST" and path == "/refresh":
            self.counts["refresh"] += 1
            user = json.loads(body)["refreshToken"].partition(".")[0]
            number = next(self.numbers)
            pair = {
                "accessToken": access_token(user, life_s=self.life_s),
                "refreshToken": refresh_token(user, number),
            }
            return response_of(200, pair)
        if path == "/me":
            self.counts["profile"] += 1
            claims = headers[b"authorization"].split(b".")[1]
            user = json.loads(base64.urlsafe_b64decode(claims + b"=" * (-len(claims) % 4)))["sub"]
            return response_of(200, profile_of(user, PERMISSION))
        self.counts["list"] += 1
        if path == "/energy/clients/counts":
            return response_of(200, COUNTS)
        if NOBODYS_WORD in target:
            return NOTHING_FOUND
        return response_of(200, FOUND[path]) if path in FOUND else response_of(404, problem_of(404))


async def _serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(_Protocol, "127.0.0.1", port, backlog=512)
    await server.serve_forever()


if __name__ == "__main__":
    _Protocol.life_s = float(sys.argv[2])
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(int(sys.argv[1])))
