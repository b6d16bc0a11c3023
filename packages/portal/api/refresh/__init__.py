"""The token refresh: each refresh token is submitted once, whoever asks, in whichever process. Imports go down.

::

    refresher           TokenRefresher: ensure_fresh, refresh, signed_out_at, tokens_to_set, sign_out
        attempt         one attempt in a thread: records, token endpoint, records
          results           Refreshed, SignInEnded, RetryLater; SignedOut; their lines in the audit log; how an outcome
                            is offered to a store that fails
          token_endpoint    where a refresh token becomes a new pair: TokensIssued, InvalidGrant, NoResponse
          sign_in_ends      tombstones on a sign-in that was signed out; an operator ends all sign-ins of a user
          token_records     the records of refresh tokens in the shared store, and the walk to the newest one
            release_before  reads the records of the release before
              token_record  the record of one refresh token: its state, and what is sealed in it
                sealing     names and encryption of records

The design, with its numbered invariants: `docs/explanation/token-refresh.md`.
"""

from portal.api.refresh.refresher import TokenRefresher
from portal.api.refresh.results import SignedOut
from portal.api.refresh.sealing import UnreadableRecordError, family_secret, record_name, seal, sign_in_id, unseal
from portal.api.refresh.token_endpoint import (
    BackendTokenEndpoint,
    InvalidGrant,
    NoResponse,
    TokenEndpoint,
    TokenEndpointResult,
    TokensIssued,
    read_token_response,
)
