"""Sign-out at the provider, in both directions: from here to it, and from it to here."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from portal.api.oidc_provider import oidc_client
from portal.api.oidc_tokens import Expected, Flaw, LoggedOut, TokenFlawError, check_logout_token
from portal.config.current import portal_config
from portal.config.limits import SIGN_OUT_DEADLINE_S
from portal.errors import ApiUnavailableError, StoreUnavailableError
from portal.process.deadline import Deadline
from portal.web.frame.shell import SIGNED_OUT_PATH
from portal.web.oidc.sign_ins import provider_sign_ins

if TYPE_CHECKING:
    from portal.web.request import PortalRequest

logger = logging.getLogger(__name__)

#: Time for the provider's keys while its logout call waits, seconds.
LOGOUT_CALL_DEADLINE_S: Final = 5.0


def provider_sign_out_url(request: PortalRequest) -> str | None:
    """Where the browser goes on to sign out at the provider (RP-Initiated Logout 1.0).

    Asked before the request's tokens are cleared. The way back is the signed-out page without a locale, so that
    one address has to be registered at the provider.

    :returns: None where there is no provider, it offers no such thing, or it does not answer: signed out here.
    """
    if not portal_config().oidc.enabled:
        return None
    client = oidc_client()
    try:
        metadata = client.metadata(deadline=Deadline(SIGN_OUT_DEADLINE_S))
    except ApiUnavailableError as error:
        logger.warning("sign-out: the provider does not answer: %s", error)
        return None
    if not metadata.end_session_endpoint:
        return None
    if _origin(metadata.end_session_endpoint) != _origin(metadata.issuer):
        # The pages' security policy lets a form lead to the issuer's origin and to no other one.
        logger.warning("sign-out: the provider's sign-out page is not at the issuer's origin: signed out here alone")
        return None
    try:
        id_token = provider_sign_ins().id_token(request.token_store.current)
    except StoreUnavailableError:
        id_token = None
    return client.end_session_url(metadata, id_token=id_token, return_to=portal_config().gateway_url + SIGNED_OUT_PATH)


def accept_logout_token(token: str) -> bool:
    """The provider says that somebody signed out there (Back-Channel Logout 1.0); whether that was believed.

    Effective in every application with that sign-in's next refresh, `/me` or `/sign-in-state`.

    :raises StoreUnavailableError: it is sound and could not be noted; the provider may say it again.
    """
    client = oidc_client()
    deadline = Deadline(LOGOUT_CALL_DEADLINE_S)
    try:
        metadata = client.metadata(deadline=deadline)
        expected = Expected(issuer=metadata.issuer, client_id=client.provider.client_id, algorithms=metadata.algorithms)

        def check(*, again: bool) -> LoggedOut:
            keys = client.keys(deadline=deadline, again=again)
            return check_logout_token(token, keys=keys, expected=expected, now=time.time())

        try:
            logged_out = check(again=False)
        except TokenFlawError as error:
            if error.flaw is not Flaw.UNKNOWN_KEY:
                raise
            logged_out = check(again=True)
        accepted = provider_sign_ins().end(logged_out)
    except (TokenFlawError, ApiUnavailableError) as error:
        logger.warning("sign-out by the provider: not accepted: %s", error)
        return False
    except StoreUnavailableError as error:
        logger.warning("sign-out by the provider: not noted: %s", error)
        raise
    logger.info("sign-out by the provider: %s", "accepted" if accepted else "used before")
    return accepted


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
