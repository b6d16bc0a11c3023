"""HTTP to the backend: one session, the tokens of a request, and their silent refresh. Imports go down.

::

    sign_in                 set_tokens, clear_tokens, sign_out
      session               ApiSession: bearer, refresh on 401, one more try
        provider            identity_provider(): who signs users in, if it is not the backend
          refresh/          each refresh token is submitted once, by all processes together
          jwks              the keys that verify access tokens, fetched in the background
          signatures        a fresh token that the edge would drop is told
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

# Of an installed package, type checkers take only what is imported under its own name.
from portal.api.backend import PASSWORD_RESET as PASSWORD_RESET
from portal.api.backend import Backend as Backend
from portal.api.backend import BackendProblem as BackendProblem
from portal.api.backend import FormBody as FormBody
from portal.api.backend import ListQuery as ListQuery
from portal.api.backend import current_backend as current_backend
from portal.api.backend import honours_idempotency_key as honours_idempotency_key
from portal.api.backend import is_named as is_named
from portal.api.backend import split_values as split_values
from portal.api.backend import wire_read as wire_read
from portal.api.backend import wire_write as wire_write
from portal.api.call_log import Attempt as Attempt
from portal.api.call_log import describe_cause as describe_cause
from portal.api.jwks import jwks_keys as jwks_keys
from portal.api.jwks import read_keys as read_keys
from portal.api.provider import identity_provider as identity_provider
from portal.api.provider import use_provider as use_provider
from portal.api.responses import ApiResponse as ApiResponse
from portal.api.responses import RawResponse as RawResponse
from portal.api.responses import is_success as is_success
from portal.api.responses import json_object as json_object
from portal.api.session import ApiSession as ApiSession
from portal.api.session import api_session as api_session
from portal.api.sign_in import clear_tokens as clear_tokens
from portal.api.sign_in import set_tokens as set_tokens
from portal.api.sign_in import sign_in_name as sign_in_name
from portal.api.sign_in import sign_out as sign_out
from portal.api.token_validation import TokenProblem as TokenProblem
from portal.api.token_validation import UnusableTokenError as UnusableTokenError
from portal.api.token_validation import validate_issued_tokens as validate_issued_tokens
from portal.api.tokens import NO_TOKENS as NO_TOKENS
from portal.api.tokens import TokenPair as TokenPair
from portal.api.tokens import TokenStatus as TokenStatus
from portal.api.tokens import TokenStore as TokenStore
from portal.api.tokens import expires_at as expires_at
from portal.api.tokens import sign_in_lifetime as sign_in_lifetime
from portal.api.transport import Transport as Transport
