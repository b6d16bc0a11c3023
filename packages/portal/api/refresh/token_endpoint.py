"""How a refresh token is exchanged for a new pair: the seam where another kind of backend fits in.

`POST /refresh` (requirements, "Token refresh flow") is one implementation; a provider's token endpoint is another.
Whoever implements it makes one attempt, on a connection of its own, and says what came of it; it never retries,
never sends a bearer, and never raises for an expected outcome.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Protocol, TypeAlias

from portal.api.refresh.sealing import idempotency_key, revocation_key
from portal.api.responses import read_json, says_json
from portal.api.token_validation import validate_issued_tokens
from portal.api.tokens import TokenPair
from portal.api.transport import BearerAuth, RawResponse
from portal.config.limits import REFRESH_FAILED_STATUSES
from portal.config.wire_names import (
    ACCESS_TOKEN_FIELD,
    HONOURS_IDEMPOTENCY_KEY,
    IDEMPOTENCY_HEADER,
    IDEMPOTENCY_WINDOW_S,
    LOGOUT_PATH,
    REFRESH_PATH,
    REFRESH_TOKEN_FIELD,
    REQUEST_ID_HEADER,
)
from portal.errors import ApiError, ApiUnavailableError

if TYPE_CHECKING:
    from portal.api.transport import Transport
    from portal.process import Deadline


logger = logging.getLogger(__name__)


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
    """No answer to go by: nobody is signed out.

    :param lost: whether the backend may have taken the token although its answer never came; such a token is
        presented again only as far as the exchange may be repeated.
    """

    reason: str
    lost: bool


ExchangeOutcome: TypeAlias = TokensIssued | InvalidGrant | NoResponse


class TokenEndpoint(Protocol):
    """Exchanges and revokes refresh tokens."""

    @property
    def repeatable_s(self) -> float:
        """For how long after a token's first presentation another one gets the same answer, seconds; 0 for never."""

    def exchange(self, *, refresh: str, deadline: Deadline, request_id: str | None) -> ExchangeOutcome:
        """Present `refresh` once, and wait until the deadline at most.

        :raises StoreUnavailableError: what has to be known first is not; nothing was sent.
        """

    def revoke(self, *, refresh: str, bearer: str | None, deadline: Deadline, request_id: str | None = None) -> None:
        """Tell the backend that this sign-in is over, as well as can be; a failure is logged, not raised.

        :param bearer: the sign-in's access token, if it is still good for a call.
        """


class BackendTokenEndpoint:
    """`POST /refresh` with `{"refreshToken"}`, and `POST /auth/logout` (contract, sections 7 and 8)."""

    def __init__(self, transport: Transport, *, repeatable_s: float | None = None) -> None:
        self._transport = transport
        keeps_keys_s = IDEMPOTENCY_WINDOW_S if HONOURS_IDEMPOTENCY_KEY else 0.0
        self.repeatable_s = keeps_keys_s if repeatable_s is None else repeatable_s

    def exchange(self, *, refresh: str, deadline: Deadline, request_id: str | None) -> ExchangeOutcome:
        """See :class:`TokenEndpoint`. "Failed" is 400, 401, 403, 422, 500, or JSON without tokens."""
        headers = {IDEMPOTENCY_HEADER: idempotency_key(refresh)}
        if request_id:
            headers[REQUEST_ID_HEADER] = request_id
        try:
            reply = self._post(REFRESH_PATH, refresh=refresh, headers=headers, deadline=deadline)
        except ApiUnavailableError as error:
            return read_silence(error)
        return read_refresh(reply)

    def revoke(self, *, refresh: str, bearer: str | None, deadline: Deadline, request_id: str | None = None) -> None:
        """See :class:`TokenEndpoint`. A call like any other: it carries the bearer and an Idempotency-Key."""
        headers = {IDEMPOTENCY_HEADER: revocation_key(refresh)}
        if request_id:
            headers[REQUEST_ID_HEADER] = request_id
        try:
            reply = self._post(LOGOUT_PATH, refresh=refresh, bearer=bearer, headers=headers, deadline=deadline)
        except ApiError as error:
            logger.warning("sign-out: the backend could not be told (%s)", type(error).__name__)
        else:
            if reply.status >= HTTPStatus.BAD_REQUEST:
                logger.warning("sign-out: the backend refused to be told (status %d)", reply.status)

    def _post(
        self, path: str, *, refresh: str, headers: dict[str, str], deadline: Deadline, bearer: str | None = None
    ) -> RawResponse:
        body = json.dumps({REFRESH_TOKEN_FIELD: refresh}).encode()
        return self._transport.send(
            method="POST",
            target=path,
            headers={
                "Accept": "application/json",
                "Content-Type": "application/json",
                "Content-Length": str(len(body)),
                **headers,
            },
            body=body,
            auth=None if bearer is None else BearerAuth(bearer),
            deadline=deadline,
            # A kept connection may break at this very moment, and a refresh is not repeated lightly.
            own_connection=True,
        )


def read_refresh(
    reply: RawResponse,
    *,
    access_field: str = ACCESS_TOKEN_FIELD,
    refresh_field: str = REFRESH_TOKEN_FIELD,
    presented: str | None = None,
) -> ExchangeOutcome:
    """What the answer to a refresh means; with the defaults, to `POST /refresh`.

    :param presented: stays the refresh token where the answer names no new one; None where it has to name one.
    """
    if reply.status in REFRESH_FAILED_STATUSES:
        return InvalidGrant(reason=f"status {reply.status}")
    if not is_success(reply.status):
        return NoResponse(reason=f"status {reply.status}", lost=False)
    try:
        body = read_json(reply.content)
    except ValueError:
        return _unreadable(reply)
    fields = body if isinstance(body, dict) else {}
    access, refresh = fields.get(access_field), fields.get(refresh_field, presented)
    if not (isinstance(access, str) and isinstance(refresh, str) and access and refresh):
        return InvalidGrant(reason="JSON without tokens")
    return _granted(TokenPair(access=access, refresh=refresh))


def _granted(pair: TokenPair) -> TokensIssued | InvalidGrant:
    """What it means that the backend gave this pair.

    Tokens that nothing can carry are none, so the answer is "JSON without tokens": the sign-in is over. Nothing
    gentler is open: the token that was presented is spent, so it can't be presented again, and a page that says
    "later" would say so until the user signs out. At the sign-in that follows, such a token has a page that says why.
    """
    unusable = validate_issued_tokens(pair)
    if unusable is None:
        return TokensIssued(pair=pair)
    logger.error("refresh: %s", unusable.says)
    return InvalidGrant(reason="JSON without usable tokens")


def read_silence(error: ApiUnavailableError) -> ExchangeOutcome:
    """What it means that no answer to `POST /refresh` came, or not a whole one."""
    if error.begun is None or is_success(error.begun):
        return NoResponse(reason=type(error).__name__, lost=error.was_sent)
    # Of any other answer the status alone decides, and that has come.
    return read_refresh(RawResponse(status=error.begun, headers={}, content=b""))


def _unreadable(reply: RawResponse) -> NoResponse:
    """What a success means whose body is not JSON. Pure.

    The backend's own answer, damaged on its way: the token is spent, in all likelihood, and its successor lost.
    Anything else (the page of a proxy that says that it is back soon) is not the backend, which has taken nothing.
    """
    if says_json(reply):
        return NoResponse(reason="JSON that can't be read", lost=True)
    return NoResponse(reason="no JSON", lost=False)


def is_success(status: int) -> bool:
    """Whether a status is of the 2xx class."""
    return HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES
