"""The pages for a sign-in that failed, one per reason. No page shows text of the provider: anyone may have sent it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _

from portal.telemetry.audit import Reason
from portal_oidc.id_tokens import JwtProblem

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


@dataclass(frozen=True, slots=True)
class ProviderFailure:
    """One page.

    :param name: the page's `data-failure`.
    :param reason: the same, for the audit log.
    :param retry_after: seconds; None if waiting does not help.
    """

    name: str
    reason: Reason
    status: int
    title: str | _StrPromise
    text: str | _StrPromise
    retry_after: int | None = None


_NOT_SIGNED_IN: Final = _("You were not signed in")
_ATTEMPT_OVER: Final = _("This sign-in attempt is over")

PROVIDER_DOWN: Final = ProviderFailure(
    "provider-down",
    Reason.PROVIDER_UNAVAILABLE,
    503,
    _("The sign-in service can’t be reached"),
    _("The service that signs you in does not answer just now. Please try again in a moment."),
    retry_after=5,
)
CANCELLED: Final = ProviderFailure(
    "cancelled",
    Reason.CANCELLED,
    403,
    _NOT_SIGNED_IN,
    _("The sign-in was cancelled, or your account may not use this. Nothing has changed."),
)
PROVIDER_ERROR: Final = ProviderFailure(
    "provider-error",
    Reason.PROVIDER_ERROR,
    502,
    _NOT_SIGNED_IN,
    _("The service that signs you in reported an error. Please try again."),
)
UNKNOWN_ATTEMPT: Final = ProviderFailure(
    "unknown-attempt",
    Reason.UNKNOWN_ATTEMPT,
    400,
    _ATTEMPT_OVER,
    _("It was begun in another browser, too long ago, or has been used already. Please start again."),
)
CODE_REFUSED: Final = ProviderFailure(
    "code-refused",
    Reason.CODE_REFUSED,
    400,
    _ATTEMPT_OVER,
    _("The code that came with it has been used already, or is too old. Please start again."),
)
UNUSABLE: Final = ProviderFailure(
    "access-token",
    Reason.TOKEN_UNUSABLE,
    502,
    _NOT_SIGNED_IN,
    _("The service that signs you in gave a token that this portal can’t use. Please tell your administrator."),
)
TOO_LARGE: Final = ProviderFailure(
    "too-large",
    Reason.TOKEN_UNUSABLE,
    502,
    _NOT_SIGNED_IN,
    _("Your account’s sign-in is larger than browsers can keep. Please tell your administrator."),
)
TOO_MANY: Final = ProviderFailure(
    "too-many",
    Reason.TOO_MANY_SIGN_INS,
    429,
    _NOT_SIGNED_IN,
    _("This account has signed in too often in a short time. Please try again later."),
)
_FORGED = _("What came back does not bear the signature of the service that signs you in, so it was not believed.")
_NOT_OURS = _("What came back was meant for somebody else, so it was not believed.")
_ID_TOKEN_TEXTS: Final = {
    JwtProblem.ISSUER: _NOT_OURS,
    JwtProblem.AUDIENCE: _NOT_OURS,
    JwtProblem.NONCE: _(
        "What came back belongs to another sign-in attempt, so it was not believed. Please start again."
    ),
    JwtProblem.EXPIRED: _("What came back is too old. Please start again; if this stays, a clock is wrong."),
}


def id_token_failure(problem: JwtProblem) -> ProviderFailure:
    """The page for an ID token that is not accepted."""
    name = f"id-token-{problem.name.lower().replace('_', '-')}"
    return ProviderFailure(name, Reason.ID_TOKEN_REFUSED, 502, _NOT_SIGNED_IN, _ID_TOKEN_TEXTS.get(problem, _FORGED))
