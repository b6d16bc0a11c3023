"""Sign-out in both directions: from here to the provider, and from the provider to here."""

import logging
import time
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from portal.api import TokenPair
from portal.config.limits import SIGN_OUT_DEADLINE_S
from portal.errors import ApiUnavailableError, StoreUnavailableError
from portal.process import Deadline
from portal.telemetry import audit
from portal.telemetry.audit import AuditEvent, AuditFields, Reason, tag_of
from portal_oidc.id_tokens import InvalidJwtError, check_logout_token
from portal_oidc.provider import oidc_client
from portal_oidc.sessions import provider_sessions

logger = logging.getLogger("portal.oidc.sign_out")

#: Time for the provider's keys while its back-channel call waits, seconds.
LOGOUT_CALL_DEADLINE_S: Final = 5.0


def sign_out_url(pair: TokenPair, *, return_to: str) -> str | None:
    """The provider's sign-out page for this sign-in (RP-Initiated Logout 1.0). Call it before the tokens are cleared.

    :param return_to: the address after the sign-out, as registered at the provider.
    :returns: None if the provider has no such page, or does not answer: the sign-in ends here alone.
    """
    client = oidc_client()
    try:
        metadata = client.metadata(deadline=Deadline(SIGN_OUT_DEADLINE_S))
    except ApiUnavailableError as error:
        logger.warning("sign-out: the provider does not answer: %s", error)
        return None
    if not metadata.end_session_endpoint:
        return None
    if urlsplit(metadata.end_session_endpoint)[:2] != urlsplit(metadata.issuer)[:2]:
        # The pages' Content-Security-Policy lets a form lead to the issuer's origin and to no other.
        logger.warning("sign-out: the provider's sign-out page is not at the issuer's origin: signed out here alone")
        return None
    try:
        id_token = provider_sessions().id_token(pair)
    except StoreUnavailableError:
        id_token = None
    return client.end_session_url(metadata, id_token=id_token, return_to=return_to)


def accept_logout_token(token: str) -> bool:
    """Process a back-channel logout (Back-Channel Logout 1.0); whether the token was accepted.

    It takes effect in every application with the sign-in's next refresh, `/me` or `/sign-in-state`.

    :raises StoreUnavailableError: the end could not be stored; the provider may send the token again.
    """
    client = oidc_client()
    deadline = Deadline(LOGOUT_CALL_DEADLINE_S)
    whose: AuditFields = {}
    check = partial(check_logout_token, token, now=time.time())
    try:
        claims = client.check_token(check, client.metadata(deadline=deadline), deadline=deadline)
        if claims.sid is not None:
            whose["provider_session"] = tag_of(claims.sid)
        if claims.subject is not None:
            whose["target_user"] = tag_of(claims.subject)
        accepted = provider_sessions().end(claims)
    except (InvalidJwtError, ApiUnavailableError) as error:
        logger.warning("sign-out by the provider: not accepted: %s", error)
        is_away = isinstance(error, ApiUnavailableError)
        _audit(Reason.PROVIDER_UNAVAILABLE if is_away else Reason.LOGOUT_TOKEN_REFUSED, whose)
        return False
    except StoreUnavailableError as error:
        logger.warning("sign-out by the provider: not noted: %s", error)
        _audit(Reason.STORE_UNAVAILABLE, whose)
        raise
    logger.info("sign-out by the provider: %s", "accepted" if accepted else "used before")
    _audit(None if accepted else Reason.USED_BEFORE, whose)
    return accepted


def _audit(reason: Reason | None, whose: AuditFields) -> None:
    # The provider asks for it, not a user, whatever cookies come with its call.
    audit.write(AuditEvent.SIGN_OUT_BY_PROVIDER, reason, **(whose | {"user": None}))
