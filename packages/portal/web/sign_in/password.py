"""Sign-in with email and password: the backend gives tokens, within the limits on tries."""

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, cast

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from portal.api import TokenPair, TokenProblem, UnusableTokenError, current_backend
from portal.config.contract_names import (
    ACCESS_TOKEN_FIELD,
    LOGIN_EMAIL_FIELD,
    LOGIN_PASSWORD_FIELD,
    REFRESH_TOKEN_FIELD,
)
from portal.errors import (
    ApiError,
    ApiMalformedError,
    ApiUnauthorizedError,
    ApiUnavailableError,
    ApiValidationError,
)
from portal.services.auth import AuthMutations
from portal.telemetry import audit
from portal.telemetry.audit import AuditEvent, AuditFields, Reason, entered_name_tag
from portal.web.errors import explain_failure, retry_after_s
from portal.web.request import PortalRequest, client_address
from portal.web.sign_in.post_login import keep_sign_in
from portal.web.sign_in.rate_limit import TooMany, sign_in_limit

logger = logging.getLogger(__name__)

_UNUSABLE: Final = {
    TokenProblem.UNSENDABLE: gettext_lazy(
        "The service that signs you in gave a token that this portal can’t use. Please tell your administrator."
    ),
    TokenProblem.TOO_LARGE: gettext_lazy(
        "Your account’s sign-in is larger than browsers can keep. Please tell your administrator."
    ),
}


#: The second one too: a backend may refuse a wrong password in a way that nobody here understands.
_FAILED_TRIES: Final = frozenset({Reason.WRONG_CREDENTIALS, Reason.UNEXPECTED_ANSWER})


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInFailure:
    """Nobody is signed in.

    :param status: of the page.
    :param text: the reason, in the page's language. It is the same for an unknown account and a wrong password. Empty
        if the backend does not answer.
    :param reason: the same, for the audit log.
    :param retry_after: seconds; None if waiting does not help.
    """

    status: int
    reason: Reason
    text: str = ""
    retry_after: int | None = None


def sign_in(request: PortalRequest, *, email: str, password: str, wanted: str) -> str | SignInFailure:
    """Ask the backend for tokens and keep them. Failed tries count against one limit, successes against another.

    :param wanted: the form's `next`.
    :returns: the address to go to, or why nobody is signed in.
    """
    who: AuditFields = {"method": "password", "entered_name": entered_name_tag(email), "user": None}
    try:
        result = _within_limits(request, email=email, password=password, wanted=wanted, who=who)
    except ApiError:
        audit.write(AuditEvent.SIGN_IN, Reason.UNEXPECTED_ANSWER, **who)
        raise
    if isinstance(result, SignInFailure):
        audit.write(AuditEvent.SIGN_IN, result.reason, **who)
    return result


def _within_limits(
    request: PortalRequest, *, email: str, password: str, wanted: str, who: AuditFields
) -> str | SignInFailure:
    limit = sign_in_limit()
    too_many = limit.too_many(email)
    if too_many is not None:
        return _limited(too_many, after_failures=False)
    attempt = limit.count(account=email, address=client_address(request))
    if isinstance(attempt, TooMany):
        return _limited(attempt, after_failures=True)
    failed = False
    try:
        result = _try(request, email=email, password=password, wanted=wanted, who=who)
        failed = isinstance(result, SignInFailure) and result.reason in _FAILED_TRIES
    finally:
        if not failed:
            limit.give_back(attempt)
    if isinstance(result, str):
        limit.succeeded(email, attempt=attempt)
    return result


def _try(request: PortalRequest, *, email: str, password: str, wanted: str, who: AuditFields) -> str | SignInFailure:
    result = AuthMutations.use_login_mutation(request).mutate(
        body={LOGIN_EMAIL_FIELD: email, LOGIN_PASSWORD_FIELD: password}
    )
    if result.error is not None:
        return _failure(request, result.error)
    tokens = cast("Mapping[str, str | None]", result.data)
    pair = TokenPair(access=tokens[ACCESS_TOKEN_FIELD], refresh=tokens[REFRESH_TOKEN_FIELD])
    try:
        return keep_sign_in(request, pair, wanted=wanted, who=who)
    except UnusableTokenError as error:
        return SignInFailure(status=502, reason=Reason.TOKEN_UNUSABLE, text=str(_UNUSABLE[error.problem]))


def _failure(request: PortalRequest, error: ApiError) -> SignInFailure:
    """What an error of the sign-in means: 401, and 422 for what was typed, are about the user; nothing else is."""
    if isinstance(error, ApiUnauthorizedError) or _refuses_what_was_typed(error):
        return SignInFailure(status=401, reason=Reason.WRONG_CREDENTIALS, text=_("Email or password is wrong."))
    if isinstance(error, ApiUnavailableError) and not _has_another_shape(error):
        explain_failure(request, error, status=503)
        return SignInFailure(status=503, reason=Reason.BACKEND_UNAVAILABLE, retry_after=retry_after_s(error))
    logger.error(
        "sign-in: the backend's answer can't be used (%s): a wrong password should be a 401, and a success %s; a class"
        " that APP_BACKEND names can say what this backend answers",
        type(error).__name__ if error.status is None else f"status {error.status}",
        f'{{"{ACCESS_TOKEN_FIELD}", "{REFRESH_TOKEN_FIELD}"}}',
    )
    explain_failure(request, error, status=502)
    text = _("The service that signs you in gave an answer that this portal can’t use. Please tell your administrator.")
    return SignInFailure(status=502, reason=Reason.UNEXPECTED_ANSWER, text=text)


def _refuses_what_was_typed(error: ApiError) -> bool:
    """Whether it is a 422 that names fields of the form, and no other: an address that is none."""
    backend = current_backend()
    return (
        isinstance(error, ApiValidationError)
        and error.status == HTTPStatus.UNPROCESSABLE_ENTITY
        and bool(error.errors)
        and error.errors.keys() <= {backend.email_field, backend.password_field}
    )


def _has_another_shape(error: ApiUnavailableError) -> bool:
    """Whether the backend itself answered, and otherwise than expected: in JSON, or by a redirect.

    A body that is no JSON is a proxy's page: the backend is away.
    """
    return isinstance(error, ApiMalformedError) and error.status != HTTPStatus.OK


def _limited(too_many: TooMany, *, after_failures: bool) -> SignInFailure:
    minutes = math.ceil(too_many.retry_after / 60)
    if after_failures:
        text = ngettext(
            "Too many failed tries. Please wait %(minutes)d minute, then try again.",
            "Too many failed tries. Please wait %(minutes)d minutes, then try again.",
            minutes,
        )
    else:
        text = ngettext(
            "Too many sign-ins to this account. Please wait %(minutes)d minute, then try again.",
            "Too many sign-ins to this account. Please wait %(minutes)d minutes, then try again.",
            minutes,
        )
    return SignInFailure(
        status=429,
        reason=Reason.TOO_MANY_FAILURES if after_failures else Reason.TOO_MANY_SIGN_INS,
        text=text % {"minutes": minutes},
        retry_after=too_many.retry_after,
    )
