"""Sets and clears a request's tokens, at sign-in and at sign-out (requirements, "Authentication")."""

import logging

from portal.api.refresh import SignedOut, family_secret, sign_in_id
from portal.api.session import api_session
from portal.api.signatures import watch_signature
from portal.api.token_validation import validate_issued_tokens
from portal.api.tokens import TokenPair, TokenStore
from portal.errors import UsageError

logger = logging.getLogger(__name__)


def set_tokens(tokens: TokenStore, pair: TokenPair) -> None:
    """Sign in: the response to this request sets the cookies.

    :raises UnusableTokenError: a token that browsers would not keep (contract, section 4), or that nothing carries.
    """
    if (type(tokens), type(pair)) != (TokenStore, TokenPair):
        raise UsageError("set_tokens(request.token_store, TokenPair(access=…, refresh=…))")
    unusable = validate_issued_tokens(pair)
    if unusable is not None:
        logger.error("sign-in refused: %s", unusable.says)
        raise unusable
    watch_signature(pair.access)
    api_session().refresher.prepare_sign_in(pair)
    tokens.sign_in(pair)


def clear_tokens(tokens: TokenStore) -> None:
    """Forget this request's tokens: its response removes the cookies. The backend is not told."""
    tokens.clear()


def sign_out(tokens: TokenStore, *, verified: bool, request_id: str | None = None) -> SignedOut:
    """End this sign-in everywhere: see :meth:`portal.api.refresh.refresher.TokenRefresher.sign_out`."""
    return api_session().refresher.sign_out(tokens, verified=verified, request_id=request_id)


def sign_in_name(pair: TokenPair) -> str | None:
    """What the audit log calls the sign-in that begins with these tokens; None for one without a refresh token."""
    return None if pair.refresh is None else sign_in_id(family_secret(pair.refresh))
