"""Where a refresh token is exchanged for a new pair: the interface for other kinds of backend.

`POST /refresh` of the requirements is one implementation; the token endpoint of an OpenID provider is another. An
implementation submits the token once, on a new connection, and returns the result. It never retries, never
sends a bearer, and never raises for an expected result.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final, Protocol, TypeAlias

from portal.api.backend import (
    CONTRACT,
    Backend,
    build_body,
    current_backend,
    encode_body,
    is_named,
    read_error,
    read_tokens,
)
from portal.api.refresh.sealing import idempotency_key, revocation_key
from portal.api.responses import RawResponse, claims_json, is_success
from portal.api.signatures import watch_signature
from portal.api.token_validation import validate_issued_tokens
from portal.api.tokens import TokenPair
from portal.api.transport import Transport
from portal.config.contract_names import ACCESS_TOKEN_FIELD, REFRESH_TOKEN_FIELD
from portal.config.limits import REFRESH_FAILED_STATUSES
from portal.errors import ApiError, ApiMalformedError, ApiUnavailableError
from portal.process import Deadline

logger = logging.getLogger(__name__)

#: In a declaration of offers: the backend has a sign-out.
_SIGN_OUT: Final = "auth.logout"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokensIssued:
    """New tokens. A pair with the same refresh token says that this backend does not rotate."""

    pair: TokenPair = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class InvalidGrant:
    """The backend answered, and the answer is no: the sign-in is over."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoResponse:
    """There is no usable answer: nobody is signed out.

    :param lost: whether the backend may have taken the token although its answer never came. Such a token is
        submitted again only while the token endpoint repeats its answers.
    """

    reason: str
    lost: bool


TokenEndpointResult: TypeAlias = TokensIssued | InvalidGrant | NoResponse


class TokenEndpoint(Protocol):
    """Exchanges and revokes refresh tokens."""

    @property
    def repeatable_s(self) -> float:
        """How long a token that is submitted again gets the same answer as at first, seconds; 0 for never."""
        ...

    def submit(self, *, refresh: str, deadline: Deadline, request_id: str | None) -> TokenEndpointResult:
        """Submit `refresh` once, and wait until the deadline at most.

        :raises StoreUnavailableError: the store was needed first and failed; nothing was sent.
        """
        ...

    def revoke(self, *, refresh: str, bearer: str | None, deadline: Deadline, request_id: str | None = None) -> None:
        """Tell the backend that this sign-in is over. A failure is logged, not raised.

        :param bearer: the sign-in's access token, if it has not expired.
        """


class BackendTokenEndpoint:
    """`POST /refresh` and `POST /auth/logout` (contract, sections 7 and 8), as the backend's class has them.

    A sign-out is sent where the backend is declared to have it (`auth.logout`).
    """

    def __init__(self, transport: Transport, *, repeatable_s: float = 0.0) -> None:
        self._transport = transport
        self.repeatable_s = repeatable_s

    def submit(self, *, refresh: str, deadline: Deadline, request_id: str | None) -> TokenEndpointResult:
        """See :class:`TokenEndpoint`. "Failed" is 400, 401, 403 or 422 (contract, section 8)."""
        backend = current_backend()
        try:
            response = self._post(
                backend.refresh_path,
                body=build_body(backend.build_refresh, refresh_token=refresh),
                key=idempotency_key(refresh),
                request_id=request_id,
                deadline=deadline,
                endpoint="refresh",
            )
        except ApiUnavailableError as error:
            return read_no_response(error, submitted=refresh)
        return read_token_response(response, backend=backend, submitted=refresh)

    def revoke(self, *, refresh: str, bearer: str | None, deadline: Deadline, request_id: str | None = None) -> None:
        """See :class:`TokenEndpoint`. A call like any other: it carries the bearer and an Idempotency-Key."""
        backend = current_backend()
        if not backend.sign_out_path or not is_named(_SIGN_OUT):
            return
        try:
            response = self._post(
                backend.sign_out_path,
                body=build_body(backend.build_sign_out, refresh_token=refresh),
                key=revocation_key(refresh),
                request_id=request_id,
                bearer=bearer,
                deadline=deadline,
                endpoint="sign-out",
            )
        except ApiError as error:
            logger.warning("sign-out: the backend could not be told (%s)", type(error).__name__)
        else:
            if response.status >= HTTPStatus.BAD_REQUEST:
                logger.warning("sign-out: the backend refused to be told (status %d)", response.status)

    def _post(
        self,
        path: str,
        *,
        body: Mapping[str, Any],
        key: str,
        request_id: str | None,
        deadline: Deadline,
        endpoint: str,
        bearer: str | None = None,
    ) -> RawResponse:
        backend, encoded = current_backend(), encode_body(body)
        named = {backend.idempotency_header: key, backend.request_id_header: request_id}
        return self._transport.exchange(
            method="POST",
            target=path,
            headers={
                "Content-Type": encoded.content_type,
                **{name: value for name, value in named.items() if name and value},
            },
            body=encoded.content,
            bearer=bearer,
            deadline=deadline,
            # A kept connection may break at this very moment, and a refresh is not repeated lightly.
            new_connection=True,
            endpoint=endpoint,
        )


def read_token_response(response: RawResponse, *, submitted: str, backend: Backend = CONTRACT) -> TokenEndpointResult:
    """The meaning of a response to a refresh.

    A success in JSON without tokens is no verdict on the token, and nothing of it was lost on the way (contract,
    section 8, "The refresh fails").

    :param submitted: stays the refresh token if the response names no new one (RFC 6749, section 6).
    """
    if not response.is_success:
        body = None if isinstance(response.parsed, ValueError) else response.parsed
        status = read_error(backend, response.status, body).status
        refused = status in REFRESH_FAILED_STATUSES
        reason = f"status {response.status if refused else status}"
        return InvalidGrant(reason=reason) if refused else NoResponse(reason=reason, lost=False)
    try:
        tokens = read_tokens(backend, response.json())
    except ApiMalformedError:
        return NoResponse(reason="JSON without tokens", lost=False)
    except ValueError:
        # JSON is the backend's own, damaged on its way: the token is probably spent, and its successor lost. Any other
        # body (a proxy's page) is not the backend's, which has taken nothing.
        lost = claims_json(response)
        return NoResponse(reason="JSON that can't be read" if lost else "no JSON", lost=lost)
    if not tokens[REFRESH_TOKEN_FIELD] and backend.rotates_refresh_tokens:
        logger.warning("refresh: no new refresh token, so the old one stays; declare rotates_refresh_tokens = False")
    pair = TokenPair(access=tokens[ACCESS_TOKEN_FIELD], refresh=tokens[REFRESH_TOKEN_FIELD] or submitted)
    unusable = validate_issued_tokens(pair)
    if unusable is None:
        watch_signature(pair.access)
        return TokensIssued(pair=pair)
    # No cookie or header can carry them. The submitted token is spent, and its answer, which came whole, would be the
    # same again. The next sign-in gets such a token too, and its page says why.
    logger.error("refresh: %s", unusable.says)
    return InvalidGrant(reason="JSON without usable tokens")


def read_no_response(error: ApiUnavailableError, *, submitted: str) -> TokenEndpointResult:
    """The meaning of a call to `POST /refresh` without a whole response."""
    if error.begun is None or is_success(error.begun):
        return NoResponse(reason=type(error).__name__, lost=error.was_sent)
    # The status alone decides about any other response, and that has come.
    response = RawResponse(status=error.begun, headers={}, content=b"")
    return read_token_response(response, backend=current_backend(), submitted=submitted)
