"""When a token ends by its own word. Nothing here is verified: it only decides when to ask for a new one."""

from __future__ import annotations

import base64
import json
import math
from functools import lru_cache
from typing import Final

from portal.config.cookies import MAX_COOKIE_BYTES

#: A browser keeps no cookie for longer than 400 days (RFC 6265bis, section 5.5).
MAX_LIFETIME_S: Final = 400 * 24 * 60 * 60
_JWT_PARTS: Final = 3


def expires_at(token: str) -> float | None:
    """The claim `exp` of a JWT, in seconds since the epoch; None for any other token.

    What is larger than any cookie that a browser keeps is made up: it is neither read nor remembered.
    """
    return _read(token) if len(token) <= MAX_COOKIE_BYTES else None


@lru_cache(maxsize=4096)
def _read(token: str) -> float | None:
    parts = token.split(".")
    if len(parts) != _JWT_PARTS:
        return None
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (ValueError, RecursionError):
        return None
    value = claims.get("exp") if isinstance(claims, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def is_expired(token: str, *, now: float) -> bool:
    """Whether a token's own `exp` has passed at `now`; one without `exp` does not expire."""
    end = expires_at(token)
    return end is not None and end <= now


def sign_in_lifetime(refresh: str | None, *, now: float, default_s: int) -> int:
    """Seconds for which a sign-in with this refresh token lasts: until its `exp`, else `default_s`.

    Source: contract, section 4. The cookies and the hand-over records share this lifetime.
    """
    end = expires_at(refresh) if refresh else None
    seconds = default_s if end is None else math.ceil(end - now)
    return max(0, min(seconds, MAX_LIFETIME_S))
