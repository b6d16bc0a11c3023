"""Access tokens: HS256 JWTs with `sub`, `permissions`, `iat`, `exp`, `jti` (contract, section 7) and `sid`.

`sid` names the sign-in, as in OpenID Connect: with it, an access token ends with its sign-in and not at `exp`.
"""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import jwt
from django.conf import settings

if TYPE_CHECKING:
    from sandbox_api.auth.models import SignIn

_ALGORITHM = "HS256"
_REQUIRED = ["sub", "sid", "iat", "exp", "jti"]


@dataclass(frozen=True, kw_only=True, slots=True)
class AccessClaims:
    """What an access token says about its caller, once its signature has been verified."""

    account_id: str
    sign_in_id: str


def issue_access_token(*, sign_in: SignIn, now: datetime) -> str:
    """Sign a token for the account of this sign-in, with the permissions that it has now."""
    lifetime = settings.SANDBOX.access_token_lifetime.total_seconds()
    issued_at = int(now.timestamp())
    return jwt.encode(
        {
            "sub": sign_in.account_id,
            "sid": sign_in.id,
            "permissions": sign_in.account.permissions,
            "iat": issued_at,
            # Counted from the second of issue, so that a token says exactly how long it lives.
            "exp": issued_at + math.ceil(lifetime),
            "jti": secrets.token_urlsafe(12),
        },
        settings.SANDBOX.jwt_key,
        algorithm=_ALGORITHM,
    )


def read_access_token(*, token: str) -> AccessClaims | None:
    """Verify signature and expiry; `None` if the token can't be accepted, for whatever reason."""
    try:
        claims = jwt.decode(
            token,
            settings.SANDBOX.jwt_key,
            algorithms=[_ALGORITHM],
            options={"require": _REQUIRED},
        )
    except jwt.InvalidTokenError:
        return None
    account_id, sign_in_id = claims["sub"], claims["sid"]
    if not isinstance(account_id, str) or not isinstance(sign_in_id, str):
        return None
    return AccessClaims(account_id=account_id, sign_in_id=sign_in_id)
