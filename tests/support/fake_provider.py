"""An OpenID provider that signs any token that a test asks for, also one that a certified provider never signs."""

import base64
import contextlib
import hashlib
import json
import secrets
import time
from collections.abc import Callable, Iterator
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.support.serving import Call, Reply, json_reply, serving

CLIENT_ID = "portal"
CLIENT_SECRET = "a-secret-that-is-long-enough-for-hs256"
LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"


class FakeProvider:
    """Its answers can be changed by the test that runs."""

    def __init__(self, issuer: str) -> None:
        self.issuer = issuer
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.kid = "one"
        self.metadata: dict[str, Any] = {}
        self.reset()

    def reset(self) -> None:
        """An honest provider again."""
        self.make_id_token: Callable[[dict[str, Any]], str] = self.sign
        self.token_answer: tuple[int, dict[str, Any]] | None = None
        self.claims: dict[str, Any] = {"sub": "all@example.com", "sid": "s-1"}
        self.nonce = ""
        self.forms: list[dict[str, str]] = []
        #: Every token that it issued since the last reset.
        self.issued: list[str] = []
        self.metadata.clear()

    def sign(self, claims: dict[str, Any], *, key: Any = None, **headers: str) -> str:
        said = {name: value for name, value in claims.items() if value is not None}
        token = jwt.encode(said, key or self.key, algorithm="RS256", headers={"kid": self.kid, **headers})
        self.issued.append(token)
        return token

    def logout_token(self, **changes: Any) -> str:
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 120, "jti": secrets.token_hex(8)}
        claims |= {"events": {LOGOUT_EVENT: {}}, "sid": "s-1", "sub": "all@example.com", **changes}
        return self.sign(claims, typ="logout+jwt")

    def discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/auth",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
            "end_session_endpoint": f"{self.issuer}/end",
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            **self.metadata,
        }

    def key_set(self) -> dict[str, Any]:
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        return {"keys": [{**public, "kid": self.kid, "use": "sig"}]}

    def token(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        self.forms.append(form)
        if self.token_answer is not None:
            return self.token_answer
        now = int(time.time())
        common = {"iss": self.issuer, "iat": now, "exp": now + 300, **self.claims}
        access = self.sign({"jti": secrets.token_hex(8), **common})
        half = base64.urlsafe_b64encode(hashlib.sha256(access.encode()).digest()[:16]).rstrip(b"=").decode()
        id_token = self.make_id_token({"aud": CLIENT_ID, "nonce": self.nonce, "at_hash": half, **common})
        refresh = secrets.token_urlsafe(24)
        self.issued.append(refresh)
        return 200, {"access_token": access, "refresh_token": refresh, "id_token": id_token, "token_type": "Bearer"}

    def answer(self, call: Call) -> Reply:
        if call.method == "POST":
            return json_reply(*self.token(call.data()))
        known = {"/.well-known/openid-configuration": self.discovery, "/jwks": self.key_set}
        return json_reply(200, known[call.path]()) if call.path in known else json_reply(404, {})


@contextlib.contextmanager
def fake_provider() -> Iterator[tuple[FakeProvider, Callable[[], None]]]:
    """The provider, and a function that stops it."""
    provider = FakeProvider("")
    with serving(provider.answer) as server:
        provider.issuer = server.url
        yield provider, server.stop
