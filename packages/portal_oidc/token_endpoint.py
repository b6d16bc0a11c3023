"""The refresh at the provider's token endpoint. `portal.api.refresh` does the same around it as for `POST /refresh`."""

import logging
from collections.abc import Callable
from typing import Final

from portal.api import Backend, RawResponse, TokenPair, is_success, json_object
from portal.api.refresh import InvalidGrant, NoResponse, TokenEndpointResult, TokensIssued
from portal.api.refresh import read_token_response as read_backend_response
from portal.config.limits import REFRESH_FAILED_STATUSES
from portal.errors import ApiUnavailableError, StoreUnavailableError
from portal.process import Deadline
from portal_oidc.provider import OidcClient
from portal_oidc.sessions import ProviderSessions

logger = logging.getLogger("portal.oidc.token_endpoint")

#: Errors of RFC 6749, section 5.2, that are about this project and not about the token. They sign nobody out: an
#: example is a secret that was changed at the provider.
OUR_OWN_FAULTS: Final = frozenset({"invalid_client", "unauthorized_client", "unsupported_grant_type"})


class _Provider(Backend):
    """The names and the rule of RFC 6749, sections 5.1 and 6."""

    access_token_field = "access_token"  # noqa: S105  a field's name
    refresh_token_field = "refresh_token"  # noqa: S105  a field's name
    rotates_refresh_tokens = False


_PROVIDER: Final = _Provider()


class ProviderTokenEndpoint:
    """Exchanges and revokes refresh tokens at the provider.

    A provider knows no Idempotency-Key. So a token whose answer was lost is not submitted again.

    :param client: gives the client; called when the client is first needed.
    """

    repeatable_s = 0.0

    def __init__(self, *, client: Callable[[], OidcClient], sessions: ProviderSessions) -> None:
        self._client = client
        self._sessions = sessions

    def submit(self, *, refresh: str, deadline: Deadline, request_id: str | None) -> TokenEndpointResult:
        """See :class:`portal.api.refresh.token_endpoint.TokenEndpoint`.

        :raises StoreUnavailableError: the store can't tell whether the provider ended this sign-in; nothing was sent.
        """
        del request_id  # the backend's, not the provider's
        if self._sessions.has_ended(TokenPair(refresh=refresh)):
            return InvalidGrant(reason="signed out at the provider")
        client = self._client()
        try:
            metadata = client.metadata(deadline=deadline)
        except ApiUnavailableError as error:
            return NoResponse(reason=f"discovery: {error}", lost=False)
        try:
            reply = client.refresh(metadata, refresh=refresh, deadline=deadline)
        except ApiUnavailableError as error:
            # Only a success uses a token up. Any other broken answer may be about this project, so it ends nothing.
            lost = error.was_sent and (error.begun is None or is_success(error.begun))
            return NoResponse(reason=type(error).__name__, lost=lost)
        outcome = read_token_response(reply, submitted=refresh)
        if isinstance(outcome, TokensIssued):
            try:
                self._sessions.move(old=refresh, pair=outcome.pair)
            except StoreUnavailableError as error:
                # The user keeps the new tokens: they are worth more than a later sign-out at the provider.
                logger.error("refresh: the provider's sign-outs will miss this sign-in: %s", error)  # noqa: TRY400  no trace needed
        return outcome

    def revoke(self, *, refresh: str, bearer: str | None, deadline: Deadline, request_id: str | None = None) -> None:
        """See :class:`portal.api.refresh.token_endpoint.TokenEndpoint`."""
        del bearer, request_id  # the provider asks for the client's credentials
        try:
            self._sessions.delete(refresh)
        except StoreUnavailableError as error:
            logger.info("sign-out: what is kept of the provider's sign-in stays until its tokens end: %s", error)
        client = self._client()
        try:
            client.revoke(client.metadata(deadline=deadline), refresh=refresh, deadline=deadline)
        except ApiUnavailableError as error:
            logger.warning("sign-out: the provider could not be told (%s)", type(error).__name__)


def read_token_response(reply: RawResponse, *, submitted: str) -> TokenEndpointResult:
    """The outcome of a refresh, from the token endpoint's response.

    :param submitted: the refresh token; it stays valid if the response has no new one (RFC 6749, section 6).
    """
    if reply.status in REFRESH_FAILED_STATUSES and (error := error_code(reply)) in OUR_OWN_FAULTS:
        logger.error("refresh: the provider refuses this project: %s", error)
        return NoResponse(reason=error, lost=False)
    return read_backend_response(reply, backend=_PROVIDER, submitted=submitted)


def error_code(reply: RawResponse) -> str:
    """The `error` of a token endpoint's response (RFC 6749, section 5.2); empty if there is none."""
    error = json_object(reply).get("error")
    return error if isinstance(error, str) else ""
