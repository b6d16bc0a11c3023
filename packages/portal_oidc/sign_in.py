"""The sign-in at the provider: the address that it starts at, and the callback that it ends with."""

import logging
import time
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Final

from portal.api import RawResponse, TokenPair, TokenProblem, UnusableTokenError, json_object, validate_issued_tokens
from portal.config.current import portal_config
from portal.config.portal_config import OidcProvider
from portal.errors import ApiUnavailableError, StoreUnavailableError
from portal.identity import get_user_from_token
from portal.process import Deadline
from portal.telemetry import audit
from portal.telemetry.audit import AuditEvent, AuditFields, tag_of
from portal.web import PortalRequest
from portal.web.sign_in import keep_sign_in, sign_in_limit
from portal_oidc import failures
from portal_oidc.failures import ProviderFailure, id_token_failure
from portal_oidc.id_tokens import IdTokenClaims, InvalidJwtError, JwtProblem, check_id_token
from portal_oidc.login_attempts import LoginAttempt
from portal_oidc.provider import ProviderMetadata, oidc_client
from portal_oidc.sessions import provider_sessions
from portal_oidc.token_endpoint import error_code

logger = logging.getLogger("portal.oidc.sign_in")

CALLBACK_PATH: Final = "/login/oidc/callback"
#: Time for all calls to the provider while a browser waits, seconds.
PROVIDER_DEADLINE_S: Final = 10.0
_ASK_FOR_CONSENT: Final = (
    "if the provider gives one only after consent, APP_OIDC_AUTHORIZE_PARAMS should have prompt=consent"
)
_CANCELLED: Final = frozenset({"access_denied", "login_required", "consent_required"})


def authorization_url(attempt: LoginAttempt) -> str | ProviderFailure:
    """The address at the provider where the browser starts the sign-in."""
    client = oidc_client()
    try:
        metadata = client.metadata(deadline=Deadline(PROVIDER_DEADLINE_S))
    except ApiUnavailableError as error:
        logger.warning("sign-in: no discovery: %s", error)
        audit.write(AuditEvent.SIGN_IN, failures.PROVIDER_DOWN.reason, method="openid", user=None)
        return failures.PROVIDER_DOWN
    return client.authorization_url(metadata, attempt, redirect_uri=_redirect_uri())


def sign_in_from_callback(request: PortalRequest, attempt: LoginAttempt | None) -> str | ProviderFailure:
    """Check the callback, exchange its code for tokens, and keep them.

    :param attempt: the one that :func:`portal_oidc.login_attempts.find_login_attempt` found.
    :returns: the address to go to, or why nobody is signed in.
    """
    result = _from_callback(request, attempt)
    if isinstance(result, ProviderFailure):
        audit.write(AuditEvent.SIGN_IN, result.reason, method="openid", user=None)
    return result


def _from_callback(request: PortalRequest, attempt: LoginAttempt | None) -> str | ProviderFailure:
    if attempt is None:
        return failures.UNKNOWN_ATTEMPT
    try:
        return _sign_in(request, attempt)
    except ApiUnavailableError as error:
        logger.warning("sign-in: the provider does not answer: %s", error)
        return failures.PROVIDER_DOWN
    except InvalidJwtError as error:
        logger.warning("sign-in: the ID token is not accepted: %s", error)
        return id_token_failure(error.problem)


def _sign_in(request: PortalRequest, attempt: LoginAttempt) -> str | ProviderFailure:
    """:raises ApiUnavailableError: the provider does not answer.

    :raises InvalidJwtError: its ID token is not accepted.
    """
    client = oidc_client()
    deadline = Deadline(PROVIDER_DEADLINE_S)
    metadata = client.metadata(deadline=deadline)
    code = _read_code(request, metadata)
    if isinstance(code, ProviderFailure):
        return code
    reply = client.redeem(
        metadata, code=code, verifier=attempt.verifier, redirect_uri=_redirect_uri(), deadline=deadline
    )
    if reply.status != HTTPStatus.OK:
        return _refused_code(reply)
    fields = json_object(reply)
    access, refresh, id_token = (fields.get(name) for name in ("access_token", "refresh_token", "id_token"))
    if not (isinstance(access, str) and access and isinstance(id_token, str)):
        return failures.PROVIDER_ERROR
    check = partial(check_id_token, id_token, nonce=attempt.nonce, access_token=access, now=time.time())
    claims = client.check_token(check, metadata, deadline=deadline)
    pair = TokenPair(access=access, refresh=refresh if isinstance(refresh, str) and refresh else None)
    # A token that no cookie carries has a failure of its own, in `_keep`.
    if validate_issued_tokens(pair) is None and not _is_usable(pair, client.provider):
        return failures.UNUSABLE
    return _keep(request, pair, claims=claims, id_token=id_token, wanted=attempt.wanted)


def _is_usable(pair: TokenPair, provider: OidcProvider) -> bool:
    """Whether somebody is signed in with these tokens; if not, the log has why."""
    if pair.refresh is None and "offline_access" in provider.scopes:
        logger.warning("sign-in: no refresh token, though offline_access was asked for: %s", _ASK_FOR_CONSENT)
    if not provider.opaque_access_tokens:
        user = get_user_from_token(pair.access or "", mapping=provider.mapping)
        if user is not None:
            if provider.mapping.claim and not user.permissions:
                logger.warning(
                    "sign-in: APP_OIDC_PERMISSIONS permits nothing: the access token lacks the claim %s, or the values",
                    provider.mapping.claim,
                )
            return True
        logger.error("sign-in: the provider's access token is no JWT: set APP_OIDC_ACCESS_TOKENS=opaque if none is")
    elif pair.refresh is not None:
        return True
    else:
        # Nobody could tell its end, nor a made-up one from it (contract, section 5, "Authenticated").
        logger.error("sign-in: an opaque access token without a refresh token signs nobody in")
    return False


def _read_code(request: PortalRequest, metadata: ProviderMetadata) -> str | ProviderFailure:
    """The callback's code, or why there is none."""
    issuer = request.GET.get("iss")
    if issuer != metadata.issuer and (issuer is not None or metadata.names_itself):
        # A response of another provider, mixed in (RFC 9207).
        return id_token_failure(JwtProblem.ISSUER)
    if "error" in request.GET:
        return failures.CANCELLED if request.GET["error"] in _CANCELLED else failures.PROVIDER_ERROR
    return request.GET.get("code") or failures.PROVIDER_ERROR


def _refused_code(reply: RawResponse) -> ProviderFailure:
    """Why the token endpoint gave no tokens for the code (RFC 6749, section 5.2)."""
    error = error_code(reply)
    # The rest of the response may hold secrets.
    logger.warning("sign-in: the provider refused the code: %d %s", reply.status, error[:40])
    if reply.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return failures.PROVIDER_DOWN
    return failures.CODE_REFUSED if error == "invalid_grant" else failures.PROVIDER_ERROR


def _keep(
    request: PortalRequest, pair: TokenPair, *, claims: IdTokenClaims, id_token: str, wanted: str
) -> str | ProviderFailure:
    """Keep the tokens, unless the account has signed in too often."""
    limit, account = sign_in_limit(), f"provider:{claims.subject}"
    too_many = limit.too_many(account)
    if too_many is not None:
        return replace(failures.TOO_MANY, retry_after=too_many.retry_after)
    who: AuditFields = {"method": "openid", "user": tag_of(claims.subject)}
    if claims.sid is not None:
        who["provider_session"] = tag_of(claims.sid)
    try:
        # First of all: the call of the profile may refresh the tokens, which takes the record along.
        provider_sessions().start(pair, claims=claims, id_token=id_token)
    except StoreUnavailableError as error:
        logger.error("sign-in: the provider's sign-outs will miss it: %s", error)  # noqa: TRY400  no trace needed
    try:
        url = keep_sign_in(request, pair, wanted=wanted, who=who)
    except UnusableTokenError as error:
        return failures.TOO_LARGE if error.problem is TokenProblem.TOO_LARGE else failures.UNUSABLE
    limit.succeeded(account)
    return url


def _redirect_uri() -> str:
    return portal_config().gateway_url + CALLBACK_PATH
