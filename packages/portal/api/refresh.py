"""What sign-in and sign-out do with a request's tokens: the document's `setTokens` and `clearTokens`."""

from __future__ import annotations

import logging
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING

from portal.api.session import api_session
from portal.config.cookies import MAX_COOKIE_BYTES, VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.errors import ApiMalformedError

if TYPE_CHECKING:
    from portal.api.tokens import TokenPair, TokenStore


logger = logging.getLogger(__name__)


def set_tokens(tokens: TokenStore, pair: TokenPair) -> None:
    """Sign in: the response to this request sets the cookies.

    :raises ApiMalformedError: a token that browsers would not keep (contract, section 4).
    """
    for name, token in ((VAR_ACCESS_TOKEN, pair.access), (VAR_REFRESH_TOKEN, pair.refresh)):
        if token is not None and (size := cookie_bytes(name, token)) > MAX_COOKIE_BYTES:
            logger.error("sign-in refused: %s would take %d bytes, browsers keep %d", name, size, MAX_COOKIE_BYTES)
            raise ApiMalformedError(
                f"Signing in is not possible: the {name} cookie would take {size} bytes, "
                f"and browsers keep {MAX_COOKIE_BYTES} at most."
            )
    tokens.replace(pair)


def clear_tokens(tokens: TokenStore) -> None:
    """Forget this request's tokens: its response removes the cookies. The backend is not told."""
    tokens.clear()


def sign_out(tokens: TokenStore) -> list[TokenPair]:
    """End this sign-in everywhere: see :meth:`portal.api.refresher.TokenRefresher.sign_out`."""
    return api_session().refresher.sign_out(tokens)


def cookie_bytes(name: str, value: str) -> int:
    """Size of a cookie with its name, as it is sent."""
    _, coded = SimpleCookie().value_encode(value)
    return len(name.encode()) + len(coded.encode())
