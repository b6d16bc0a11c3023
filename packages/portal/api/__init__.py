"""HTTP to the backend: one session, the tokens of a request, and their silent refresh. Imports go down.

::

    sign_in                 set_tokens, clear_tokens, sign_out
      session               ApiSession: bearer, refresh on 401, one more try
        provider            identity_provider(): who signs users in, if it is not the backend
          refresh/          each refresh token is submitted once, by all processes together
          jwks              the keys that verify access tokens, fetched in the background
            transport       one call: limits of time and size, a circuit breaker
              call_log      a line and a count for each call
              connections   sockets that obey the call's deadline
                responses           a response as data, or as an error of `portal.errors`
                token_validation    whether issued tokens fit into cookies and headers
                  backend/          Backend: what a backend may name or shape otherwise
                  tokens            TokenPair, TokenStore, and when a token expires
                  metrics           what `/metrics` counts

`portal.query` makes the calls of pages. An app calls the backend through its hooks only.
"""

from __future__ import annotations

from portal.api.backend import (
    Backend,
    BackendProblem,
    FormBody,
    ListQuery,
    current_backend,
    encode_body,
    honours_idempotency_key,
    split_values,
    wire_read,
    wire_write,
)
from portal.api.call_log import Attempt, describe_cause
from portal.api.jwks import jwks_keys, read_keys
from portal.api.provider import identity_provider, use_provider
from portal.api.responses import ApiResponse, RawResponse, is_success, json_object
from portal.api.session import ApiSession, Upload, api_session, session_for
from portal.api.sign_in import clear_tokens, set_tokens, sign_in_name, sign_out
from portal.api.token_validation import TokenProblem, UnusableTokenError, validate_issued_tokens
from portal.api.tokens import (
    NO_TOKENS,
    SignInStatus,
    TokenPair,
    TokenStatus,
    TokenStore,
    expires_at,
    sign_in_lifetime,
)
from portal.api.transport import Transport

# Of an installed package, type checkers take only what this names. A test holds it against the imports.
__all__ = [
    "NO_TOKENS",
    "ApiResponse",
    "ApiSession",
    "Attempt",
    "Backend",
    "BackendProblem",
    "FormBody",
    "ListQuery",
    "RawResponse",
    "SignInStatus",
    "TokenPair",
    "TokenProblem",
    "TokenStatus",
    "TokenStore",
    "Transport",
    "UnusableTokenError",
    "Upload",
    "api_session",
    "clear_tokens",
    "current_backend",
    "describe_cause",
    "encode_body",
    "expires_at",
    "honours_idempotency_key",
    "identity_provider",
    "is_success",
    "json_object",
    "jwks_keys",
    "read_keys",
    "session_for",
    "set_tokens",
    "sign_in_lifetime",
    "sign_in_name",
    "sign_out",
    "split_values",
    "use_provider",
    "validate_issued_tokens",
    "wire_read",
    "wire_write",
]
