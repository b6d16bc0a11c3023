"""HTTP to the backend: the session, the request's tokens, and the silent refresh."""

from __future__ import annotations

from portal.api.refresh import clear_tokens, set_tokens
from portal.api.session import ApiSession

__all__ = ["ApiSession", "clear_tokens", "set_tokens"]
