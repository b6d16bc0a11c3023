"""A forgotten password: the backend sends a link, and takes its token with a new password.

Nothing here tells whether an address has an account: the page says the same, whatever the backend answered.
"""

import math
from dataclasses import dataclass, field
from typing import TypeGuard

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from portal.errors import ApiClientError, ApiError, ApiUnavailableError, ApiValidationError
from portal.services.auth import AuthMutations
from portal.telemetry import audit
from portal.telemetry.audit import AuditEvent, Reason, entered_name_tag
from portal.web.errors import explain_failure, retry_after_s
from portal.web.request import PortalRequest, client_address
from portal.web.sign_in.rate_limit import sign_in_limit


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetFailure:
    """What was asked for is not done.

    :param status: of the page.
    :param text: the reason, in the page's language; empty if the backend does not answer.
    :param retry_after: seconds; None if waiting does not help.
    :param password_errors: what the backend says of the new password, in its own language.
    :param link_is_spent: another link helps.
    """

    status: int
    text: str = ""
    retry_after: int | None = None
    password_errors: tuple[str, ...] = field(default=())
    link_is_spent: bool = False


def ask_for_reset(request: PortalRequest, *, email: str) -> ResetFailure | None:
    """Have the backend send a link to this address, if it has an account; None if that was asked for."""
    entered_name = entered_name_tag(email)
    limited = _limited(request)
    if limited is not None:
        audit.write(AuditEvent.PASSWORD_RESET_REQUEST, Reason.TOO_MANY_REQUESTS, entered_name=entered_name)
        return limited
    error = AuthMutations.use_forgot_password_mutation(request).mutate(body={"email": email}).error
    is_away = isinstance(error, ApiUnavailableError)
    refused = None if error is None else Reason.NOT_ACCEPTED
    reason = Reason.BACKEND_UNAVAILABLE if is_away else refused
    audit.write(AuditEvent.PASSWORD_RESET_REQUEST, reason, entered_name=entered_name)
    # Any other answer would tell something about the address.
    return _unreachable(request, error) if isinstance(error, ApiUnavailableError) else None


def reset_password(request: PortalRequest, *, token: str, password: str) -> ResetFailure | None:
    """Choose a new password with the token of a link; None if it is the password now, and all sign-ins have ended.

    The form may be sent again, and is done once: a link works once, so that without a key of the form's own, whoever
    lost the answer would be told that the link was used.

    :raises portal.errors.ApiError: the backend failed in a way that no other input helps.
    """
    limited = _limited(request)
    if limited is not None:
        audit.write(AuditEvent.PASSWORD_RESET, Reason.TOO_MANY_REQUESTS)
        return limited
    # Under the portal's secret: nobody who reads a key in a log can try tokens and passwords against it.
    key = salted_hmac("portal.reset_password", token, algorithm="sha256").hexdigest()
    reset = AuthMutations.use_reset_password_mutation(request, idempotency_key=key)
    result = reset.mutate(body={"token": token, "password": password})
    error = result.error
    audit.write(AuditEvent.PASSWORD_RESET, _reason_of(error))
    if isinstance(error, ApiUnavailableError):
        return _unreachable(request, error)
    if _is_of_the_password(error):
        return ResetFailure(status=422, password_errors=tuple(error.errors["password"]))
    if isinstance(error, ApiValidationError | ApiClientError):
        return ResetFailure(
            status=422, text=_("This link has been used already, or is older than half an hour."), link_is_spent=True
        )
    result.unwrap()
    return None


def _is_of_the_password(error: ApiError | None) -> TypeGuard[ApiValidationError]:
    """Whether the backend takes the link, and not the new password."""
    return (
        isinstance(error, ApiValidationError) and bool(error.errors.get("password")) and not error.errors.get("token")
    )


def _reason_of(error: ApiError | None) -> Reason | None:
    if error is None:
        return None
    if isinstance(error, ApiUnavailableError):
        return Reason.BACKEND_UNAVAILABLE
    if _is_of_the_password(error):
        return Reason.NOT_ACCEPTED
    is_link = isinstance(error, ApiValidationError | ApiClientError)
    return Reason.LINK_REFUSED if is_link else Reason.UNEXPECTED_ANSWER


def _limited(request: PortalRequest) -> ResetFailure | None:
    too_many = sign_in_limit().count_reset(address=client_address(request))
    if too_many is None:
        return None
    minutes = math.ceil(too_many.retry_after / 60)
    text = ngettext(
        "Too many tries. Please wait %(minutes)d minute, then try again.",
        "Too many tries. Please wait %(minutes)d minutes, then try again.",
        minutes,
    )
    return ResetFailure(status=429, text=text % {"minutes": minutes}, retry_after=too_many.retry_after)


def _unreachable(request: PortalRequest, error: ApiUnavailableError) -> ResetFailure:
    explain_failure(request, error, status=503)
    return ResetFailure(status=503, retry_after=retry_after_s(error))
