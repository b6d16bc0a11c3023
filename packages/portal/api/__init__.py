"""HTTP to the backend: the session, the request's tokens, and the silent refresh."""

from __future__ import annotations

from portal.api.jwks import jwks_keys
from portal.api.session import ApiSession
from portal.api.sign_in import clear_tokens, set_tokens

__all__ = ["ApiSession", "clear_tokens", "jwks_keys", "set_tokens"]
