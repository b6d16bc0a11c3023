"""A backend of many users for the capacity run: each has a profile, tokens that end soon, and the same rows.

python -m benchmarks._capacity_backend PORT TOKEN_LIFE_S
"""

from __future__ import annotations

import base64
import itertools
import json
import secrets
import sys
import time
from typing import ClassVar, Final

import jwt

from benchmarks._page_rows import KEY
from benchmarks._stub_backend import NOTHING_FOUND, PERMISSION, RESPONSES, Call, Connection, response_of, serve
from portal.config.contract_names import NOBODYS_WORD
from portal.testing.shapes import profile_of

#: Characters of a refresh token, and of what fills an access token: real ones have 1 to 2 KB.
TOKEN_CHARS: Final = 1_000


def access_token(user: str, *, life_s: float) -> str:
    """One that is valid from now on for so long."""
    now = time.time()
    claims = {"sub": user, "permissions": [PERMISSION], "iat": int(now), "exp": now + life_s, "jti": f"{now:.9f}"}
    # Random, because records of tokens are compressed.
    return jwt.encode(claims | {"filling": secrets.token_hex(TOKEN_CHARS // 4)}, KEY, algorithm="HS256")


def refresh_token(user: str, number: int) -> str:
    """The user's, opaque to the portal."""
    return f"{user}.{number}.{secrets.token_urlsafe(TOKEN_CHARS)}"[:TOKEN_CHARS]


def user_of(call: Call) -> str:
    """Whose token the call brings."""
    claims = call.headers["authorization"].split(".")[1]
    return str(json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["sub"])


class _Connection(Connection):
    """Of the user whose token a call brings."""

    numbers: ClassVar = itertools.count(1)
    life_s: ClassVar = 300.0

    def answer(self, call: Call) -> bytes | None:
        if call.method == "POST" and call.path == "/refresh":
            self.calls["refresh"] += 1
            user = json.loads(call.body)["refreshToken"].partition(".")[0]
            pair = {
                "accessToken": access_token(user, life_s=self.life_s),
                "refreshToken": refresh_token(user, next(self.numbers)),
            }
            return response_of(200, pair)
        if call.method != "GET":
            return None
        if call.path == "/me":
            self.calls["profile"] += 1
            return response_of(200, profile_of(user_of(call), PERMISSION))
        self.calls["list"] += 1
        return NOTHING_FOUND if NOBODYS_WORD in call.query else RESPONSES.get(call.path)


if __name__ == "__main__":
    _Connection.life_s = float(sys.argv[2])
    serve(_Connection, int(sys.argv[1]))
