"""The sign-in flow at the provider: to it, and back from it."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from portal.api.oidc_provider import oidc_client
from portal.api.oidc_tokens import Expected, Flaw, SignedInAs, TokenFlawError, check_id_token
from portal.api.responses import read_json
from portal.api.token_validation import TokenProblem, validate_issued_tokens
from portal.api.tokens import TokenPair
from portal.config.current import portal_config
from portal.errors import ApiUnavailableError, StoreUnavailableError
from portal.identity import get_user_from_token
from portal.process.deadline import Deadline
from portal.web.oidc.attempts import find_attempt
from portal.web.oidc.failures import (
    CANCELLED,
    CODE_REFUSED,
    PROVIDER_DOWN,
    PROVIDER_ERROR,
    TOO_LARGE,
    TOO_MANY,
    UNKNOWN_ATTEMPT,
    UNUSABLE,
    ProviderFailure,
    id_token_failure,
)
from portal.web.oidc.sign_ins import provider_sign_ins
from portal.web.sign_in.password import SignInRefused, keep_sign_in
from portal.web.sign_in.rate_limit import sign_in_limit

if TYPE_CHECKING:
    from portal.api.oidc_provider import OidcClient, ProviderMetadata
    from portal.api.transport import RawResponse
    from portal.web.oidc.attempts import Attempt
    from portal.web.request import PortalRequest
    from portal.web.sign_in.password import SignedIn

logger = logging.getLogger(__name__)

CALLBACK_PATH: Final = "/login/oidc/callback"
#: Time for all calls to the provider while a browser waits, seconds.
PROVIDER_DEADLINE_S: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checked:
    """What the token endpoint gave for a code, and who signed in."""

    pair: TokenPair
    id_token: str
    signed_in_as: SignedInAs


def authorization_url(attempt: Attempt) -> str | ProviderFailure:
    """Where the browser goes to sign in."""
    client = oidc_client()
    try:
        metadata = client.metadata(deadline=Deadline(PROVIDER_DEADLINE_S))
    except ApiUnavailableError as error:
        logger.warning("sign-in: no discovery: %s", error)
        return PROVIDER_DOWN
    return client.authorization_url(
        metadata,
        redirect_uri=_redirect_uri(),
        state=attempt.state,
        nonce=attempt.nonce,
        verifier=attempt.verifier,
        locale=attempt.locale,
    )


def sign_in_from_callback(request: PortalRequest, attempt: Attempt | None) -> SignedIn | ProviderFailure:
    """Take what the provider sent the browser back with, and sign in; nothing is believed unchecked.

    :param attempt: what :func:`find_callback_attempt` found.
    """
    if attempt is None:
        return UNKNOWN_ATTEMPT
    try:
        answer = _ask_provider(request, attempt)
    except ApiUnavailableError as error:
        logger.warning("sign-in: the provider does not answer: %s", error)
        return PROVIDER_DOWN
    except TokenFlawError as error:
        logger.warning("sign-in: the ID token is not accepted: %s", error)
        return id_token_failure(error.flaw)
    if isinstance(answer, ProviderFailure):
        return answer
    return _keep(request, answer, wanted=attempt.wanted)


def _keep(request: PortalRequest, answer: _Checked, *, wanted: str) -> SignedIn | ProviderFailure:
    """Keep the tokens of who signed in, unless the account did so too often of late."""
    limit, account = sign_in_limit(), f"provider:{answer.signed_in_as.subject}"
    full = limit.too_many(account)
    if full is not None:
        return replace(TOO_MANY, retry_after=full.retry_after)
    outcome = keep_sign_in(request, answer.pair, wanted=wanted)
    if isinstance(outcome, SignInRefused):
        return TOO_LARGE if outcome.fault is TokenProblem.TOO_LARGE else UNUSABLE
    limit.succeeded(account)
    try:
        provider_sign_ins().begin(answer.pair, signed_in_as=answer.signed_in_as, id_token=answer.id_token)
    except StoreUnavailableError as error:
        logger.error("sign-in: the provider's sign-outs will miss it: %s", error)  # noqa: TRY400  no trace needed
    return outcome


def find_callback_attempt(request: PortalRequest) -> Attempt | None:
    """The attempt that this callback belongs to, if this browser began it."""
    return find_attempt(request, state=request.GET.get("state", ""))


def _redirect_uri() -> str:
    return portal_config().gateway_url + CALLBACK_PATH


def _ask_provider(request: PortalRequest, attempt: Attempt) -> _Checked | ProviderFailure:
    """Tokens for the callback's code, and who the ID token says signed in.

    :raises ApiUnavailableError: the provider does not answer.
    :raises TokenFlawError: its ID token is not accepted.
    """
    client = oidc_client()
    deadline = Deadline(PROVIDER_DEADLINE_S)
    metadata = client.metadata(deadline=deadline)
    code = _code(request, metadata)
    if isinstance(code, ProviderFailure):
        return code
    reply = client.redeem(
        metadata, code=code, verifier=attempt.verifier, redirect_uri=_redirect_uri(), deadline=deadline
    )
    if reply.status != HTTPStatus.OK:
        return _refusal(reply)
    fields = _object(reply.content)
    access, refresh, id_token = (fields.get(name) for name in ("access_token", "refresh_token", "id_token"))
    if not (isinstance(access, str) and access and isinstance(id_token, str)):
        return PROVIDER_ERROR
    signed_in_as = _check(
        id_token, access=access, nonce=attempt.nonce, client=client, metadata=metadata, deadline=deadline
    )
    pair = TokenPair(access=access, refresh=refresh if isinstance(refresh, str) and refresh else None)
    # Of tokens that can't be kept, whoever keeps them says so.
    if get_user_from_token(access) is None and validate_issued_tokens(pair) is None:
        logger.error("sign-in: the provider's access token is no JWT")
        return UNUSABLE
    return _Checked(pair=pair, id_token=id_token, signed_in_as=signed_in_as)


def _code(request: PortalRequest, metadata: ProviderMetadata) -> str | ProviderFailure:
    """The code of the callback, or why there is none."""
    named = request.GET.get("iss")
    if named != metadata.issuer and (named is not None or metadata.names_itself):
        # RFC 9207: an answer of another provider, mixed in.
        return id_token_failure(Flaw.ISSUER)
    if "error" in request.GET:
        cancelled = request.GET["error"] in {"access_denied", "login_required", "consent_required"}
        return CANCELLED if cancelled else PROVIDER_ERROR
    return request.GET.get("code") or PROVIDER_ERROR


def _refusal(reply: RawResponse) -> ProviderFailure:
    """Why the token endpoint gave nothing for the code (RFC 6749, section 5.2)."""
    error = _object(reply.content).get("error")
    # Nothing else of the answer is fit for the log.
    logger.warning("sign-in: the provider refused the code: %d %s", reply.status, str(error)[:40])
    if reply.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return PROVIDER_DOWN
    return CODE_REFUSED if error == "invalid_grant" else PROVIDER_ERROR


def _check(
    id_token: str,
    *,
    access: str,
    nonce: str,
    client: OidcClient,
    metadata: ProviderMetadata,
    deadline: Deadline,
) -> SignedInAs:
    """The ID token, checked; with the keys asked for anew where the one that signed it is not known."""
    expected = Expected(issuer=metadata.issuer, client_id=client.provider.client_id, algorithms=metadata.algorithms)

    def check(*, again: bool) -> SignedInAs:
        return check_id_token(
            id_token,
            keys=client.keys(deadline=deadline, again=again),
            expected=expected,
            nonce=nonce,
            access_token=access,
            now=time.time(),
        )

    try:
        return check(again=False)
    except TokenFlawError as error:
        if error.flaw is not Flaw.UNKNOWN_KEY:
            raise
    return check(again=True)


def _object(content: bytes) -> dict[str, Any]:
    try:
        body = read_json(content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
