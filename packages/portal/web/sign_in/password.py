"""The sign-in flow: from email and password to cookies and the address to go to."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from portal.api.sign_in import set_tokens
from portal.api.token_validation import TokenProblem, UnusableTokenError
from portal.api.tokens import TokenPair
from portal.config.cookies import VAR_SELECTED_LOCALE
from portal.config.current import portal_config
from portal.config.wire_names import (
    ACCESS_TOKEN_FIELD,
    LOGIN_EMAIL_FIELD,
    LOGIN_PASSWORD_FIELD,
    REFRESH_TOKEN_FIELD,
)
from portal.edge import accept_target, with_locale
from portal.errors import (
    ApiClientError,
    ApiUnauthorizedError,
    ApiUnavailableError,
    ApiValidationError,
)
from portal.services.auth import AuthMutations
from portal.web.client_address import client_address
from portal.web.errors.failure_log import explain_failure
from portal.web.errors.failure_pages import RETRY_AFTER_S
from portal.web.errors.redirects import REASON_PARAM, RENEWAL_LOST
from portal.web.frame.shell import active_locale
from portal.web.sign_in.post_login import resolve_post_login_path
from portal.web.sign_in.rate_limit import TooMany, sign_in_limit

if TYPE_CHECKING:
    from portal.errors import ApiError
    from portal.web.request import PortalRequest

logger = logging.getLogger(__name__)

_UNUSABLE: Final = {
    TokenProblem.UNSENDABLE: gettext_lazy(
        "The service that signs you in gave a token that this portal can’t use. Please tell your administrator."
    ),
    TokenProblem.TOO_LARGE: gettext_lazy(
        "Your account’s sign-in is larger than browsers can keep. Please tell your administrator."
    ),
}
_REASONS: Final = {
    RENEWAL_LOST: gettext_lazy(
        "Your sign-in could not be renewed: the answer of the sign-in service was lost. "
        "Please sign in again. Nothing you saved is lost."
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """The tokens are in the request's store; the response will set them as cookies, and the platforms with them."""

    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInRefused:
    """Nobody is signed in; `text` says why, the same for an unknown account and a wrong password.

    :param fault: what is wrong with the tokens, where that is why.
    """

    status: int
    text: str
    fault: TokenProblem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInLimited:
    """The try was not made: too many have failed before it, or were right.

    :param retry_after: seconds.
    :param failed: which of the two.
    """

    retry_after: int
    failed: bool = True

    @property
    def text(self) -> str:
        """What the page says, in its language."""
        minutes = math.ceil(self.retry_after / 60)
        if not self.failed:
            return ngettext(
                "Too many sign-ins to this account. Please wait %(minutes)d minute, then try again.",
                "Too many sign-ins to this account. Please wait %(minutes)d minutes, then try again.",
                minutes,
            ) % {"minutes": minutes}
        return ngettext(
            "Too many failed tries. Please wait %(minutes)d minute, then try again.",
            "Too many failed tries. Please wait %(minutes)d minutes, then try again.",
            minutes,
        ) % {"minutes": minutes}


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInUnavailable:
    """The backend does not answer.

    :param retry_after: seconds.
    """

    retry_after: int


def reason_of(request: PortalRequest) -> str:
    """Which reason that we know led the visitor to this sign-in page; empty for none."""
    reason = request.GET.get(REASON_PARAM, "")
    return reason if reason in _REASONS else ""


def explain(reason: str) -> str:
    """What the sign-in page says of a reason that :func:`reason_of` gave, in its language; empty for none."""
    return str(_REASONS.get(reason, ""))


def sign_in(
    request: PortalRequest, *, email: str, password: str, wanted: str
) -> SignedIn | SignInRefused | SignInUnavailable | SignInLimited:
    """Ask the backend for tokens, keep them, and work out where to go. Failed tries count against a limit.

    Right ones count against another one, far above what people do.

    :param wanted: the form's `next`; it wins over the home where it is an address of ours.
    """
    limit = sign_in_limit()
    full = limit.too_many(email)
    if full is not None:
        return SignInLimited(retry_after=full.retry_after, failed=False)
    attempt = limit.count(account=email, address=client_address(request))
    if isinstance(attempt, TooMany):
        return SignInLimited(retry_after=attempt.retry_after)
    failed = False
    try:
        outcome = _try(request, email=email, password=password, wanted=wanted)
        failed = isinstance(outcome, SignInRefused) and outcome.status == HTTPStatus.UNAUTHORIZED
    finally:
        if not failed:
            limit.give_back(attempt)
    if isinstance(outcome, SignedIn):
        limit.succeeded(email)
    return outcome


def _try(
    request: PortalRequest, *, email: str, password: str, wanted: str
) -> SignedIn | SignInRefused | SignInUnavailable:
    result = AuthMutations.use_login_mutation(request).mutate(
        body={LOGIN_EMAIL_FIELD: email, LOGIN_PASSWORD_FIELD: password}
    )
    if result.error is not None:
        return _refusal(request, result.error)
    access = _token(result.data, ACCESS_TOKEN_FIELD)
    if access is None:
        logger.warning("sign-in: the backend answered without an access token")
        return SignInUnavailable(retry_after=RETRY_AFTER_S)
    return keep_sign_in(
        request, TokenPair(access=access, refresh=_token(result.data, REFRESH_TOKEN_FIELD)), wanted=wanted
    )


def keep_sign_in(request: PortalRequest, pair: TokenPair, *, wanted: str) -> SignedIn | SignInRefused:
    """Keep tokens that somebody has just been given, and work out where to go.

    :param pair: has an access token.
    :param wanted: a `next`; it wins over the home where it is an address of ours. It was made before the visitor saw
        the sign-in page: a language chosen there by the switch takes the place of its own.
    """
    try:
        set_tokens(request.token_store, pair)
    except UnusableTokenError as error:
        return SignInRefused(status=502, text=str(_UNUSABLE[error.fault]), fault=error.fault)
    path = resolve_post_login_path(request, access_token=pair.access or "")
    config = portal_config()
    target = accept_target(wanted, own_origin=config.own_origin, origins=config.origins.values())
    if target is not None and _is_chosen(request, locale=active_locale()):
        target = with_locale(target, locale=active_locale())
    return SignedIn(url=target or f"/{active_locale()}{path}")


def _is_chosen(request: PortalRequest, *, locale: str) -> bool:
    """Whether the visitor chose this language by the switch, and did not just follow an address that has it."""
    return request.COOKIES.get(VAR_SELECTED_LOCALE) == locale


def _token(data: object, name: str) -> str | None:
    token = data.get(name) if isinstance(data, dict) else None
    return token if isinstance(token, str) and token else None


def _refusal(request: PortalRequest, error: ApiError) -> SignInRefused | SignInUnavailable:
    if isinstance(error, ApiUnavailableError):
        explain_failure(request, error, status=503)
        wait = RETRY_AFTER_S if error.retry_after is None else math.ceil(error.retry_after)
        return SignInUnavailable(retry_after=max(1, wait))
    if isinstance(error, ApiUnauthorizedError | ApiValidationError | ApiClientError):
        return SignInRefused(status=401, text=_("Email or password is wrong."))
    raise error
