"""The refresh through the OpenID provider's token endpoint.

The single flight, the hand-over and the tombstones around it are the same as with `POST /refresh`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from portal.api.refresh import token_endpoint as exchange
from portal.api.refresh.token_endpoint import ExchangeOutcome, InvalidGrant, NoResponse, TokensIssued, is_success
from portal.api.responses import read_json
from portal.api.tokens import TokenPair
from portal.config.limits import REFRESH_FAILED_STATUSES
from portal.errors import ApiUnavailableError, StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.api.oidc_provider import OidcClient
    from portal.api.oidc_sign_ins import ProviderSignIns
    from portal.api.transport import RawResponse
    from portal.process.deadline import Deadline

logger = logging.getLogger(__name__)

#: Errors of RFC 6749, section 5.2, that are about this project and not about the token: a secret that was changed
#: at the provider must not sign everybody out.
OUR_OWN_FAULTS: Final = frozenset({"invalid_client", "unauthorized_client", "unsupported_grant_type"})


class ProviderTokenEndpoint:
    """Exchanges and revokes refresh tokens at the provider.

    A token endpoint knows no Idempotency-Key, so what was lost is lost: it is not presented again.

    :param client: gives the client; it is made when first needed, in the process that needs it.
    """

    repeatable_s = 0.0

    def __init__(self, *, client: Callable[[], OidcClient], sign_ins: ProviderSignIns) -> None:
        self._client = client
        self._sign_ins = sign_ins

    def exchange(self, *, refresh: str, deadline: Deadline, request_id: str | None) -> ExchangeOutcome:
        """See :class:`portal.api.refresh.token_endpoint.TokenEndpoint`.

        :raises StoreUnavailableError: whether the provider has ended this sign-in can't be known; nothing was sent.
        """
        del request_id  # the provider is not ours
        if self._sign_ins.has_ended(TokenPair(refresh=refresh)):
            return InvalidGrant(reason="signed out at the provider")
        client = self._client()
        try:
            metadata = client.metadata(deadline=deadline)
        except ApiUnavailableError as error:
            return NoResponse(reason=f"discovery: {error}", lost=False)
        try:
            reply = client.refresh(metadata, refresh=refresh, deadline=deadline)
        except ApiUnavailableError as error:
            # Only a success spends a token. Whether any other answer was about the token or about this project
            # stood in the part that did not come, so it ends nothing.
            spent = error.was_sent and (error.begun is None or is_success(error.begun))
            return NoResponse(reason=type(error).__name__, lost=spent)
        outcome = read_refresh(reply, presented=refresh)
        if isinstance(outcome, TokensIssued):
            self._carry_over(refresh, outcome.pair)
        return outcome

    def revoke(self, *, refresh: str, bearer: str | None, deadline: Deadline, request_id: str | None = None) -> None:
        """See :class:`portal.api.refresh.token_endpoint.TokenEndpoint`."""
        del bearer, request_id  # the provider asks for the client's own credentials, and is not ours
        try:
            self._sign_ins.forget(refresh)
        except StoreUnavailableError as error:
            logger.info("sign-out: what is kept of the provider's sign-in stays until its tokens end: %s", error)
        client = self._client()
        try:
            client.revoke(client.metadata(deadline=deadline), refresh=refresh, deadline=deadline)
        except ApiUnavailableError as error:
            logger.warning("sign-out: the provider could not be told (%s)", type(error).__name__)

    def _carry_over(self, spent: str, pair: TokenPair) -> None:
        try:
            self._sign_ins.carry_over(spent=spent, pair=pair)
        except StoreUnavailableError as error:
            # The new tokens are the only ones by now: they count more than a later sign-out at the provider.
            logger.error("refresh: the provider's sign-outs will miss this sign-in: %s", error)  # noqa: TRY400  no trace needed


def read_refresh(reply: RawResponse, *, presented: str) -> ExchangeOutcome:
    """What the token endpoint's answer to a refresh means.

    :param presented: stays the refresh token where the answer names no new one (RFC 6749, section 6).
    """
    if reply.status in REFRESH_FAILED_STATUSES and (error := _error_of(reply)) in OUR_OWN_FAULTS:
        logger.error("refresh: the provider refuses this project: %s", error)
        return NoResponse(reason=error, lost=False)
    return exchange.read_refresh(reply, access_field="access_token", refresh_field="refresh_token", presented=presented)


def _error_of(reply: RawResponse) -> str:
    """The error that the answer names (RFC 6749, section 5.2); empty where it names none."""
    try:
        body = read_json(reply.content)
    except ValueError:
        return ""
    error = body.get("error") if isinstance(body, dict) else None
    return error if isinstance(error, str) else ""
