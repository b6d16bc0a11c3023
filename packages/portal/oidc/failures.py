"""The pages for a sign-in that failed, one per reason. No page shows text of the provider: anyone may have sent it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _

from portal.oidc.id_tokens import JwtProblem

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderFailure:
    """One page.

    :param name: the page's `data-failure`.
    :param retry_after: seconds; None if waiting does not help.
    """

    name: str
    status: int
    title: str | _StrPromise
    text: str | _StrPromise
    retry_after: int | None = None


PROVIDER_DOWN: Final = ProviderFailure(
    name="provider-down",
    status=503,
    title=_("The sign-in service can’t be reached"),
    text=_("The service that signs you in does not answer just now. Please try again in a moment."),
    retry_after=5,
)
CANCELLED: Final = ProviderFailure(
    name="cancelled",
    status=403,
    title=_("You were not signed in"),
    text=_("The sign-in was cancelled, or your account may not use this. Nothing has changed."),
)
PROVIDER_ERROR: Final = ProviderFailure(
    name="provider-error",
    status=502,
    title=_("You were not signed in"),
    text=_("The service that signs you in reported an error. Please try again."),
)
UNKNOWN_ATTEMPT: Final = ProviderFailure(
    name="unknown-attempt",
    status=400,
    title=_("This sign-in attempt is over"),
    text=_("It was begun in another browser, too long ago, or has been used already. Please start again."),
)
CODE_REFUSED: Final = ProviderFailure(
    name="code-refused",
    status=400,
    title=_("This sign-in attempt is over"),
    text=_("The code that came with it has been used already, or is too old. Please start again."),
)
UNUSABLE: Final = ProviderFailure(
    name="access-token",
    status=502,
    title=_("You were not signed in"),
    text=_("The service that signs you in gave a token that this portal can’t use. Please tell your administrator."),
)
TOO_LARGE: Final = ProviderFailure(
    name="too-large",
    status=502,
    title=_("You were not signed in"),
    text=_("Your account’s sign-in is larger than browsers can keep. Please tell your administrator."),
)
TOO_MANY: Final = ProviderFailure(
    name="too-many",
    status=429,
    title=_("You were not signed in"),
    text=_("This account has signed in too often in a short time. Please try again later."),
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
    return ProviderFailure(
        name=f"id-token-{problem.name.lower().replace('_', '-')}",
        status=502,
        title=_("You were not signed in"),
        text=_ID_TOKEN_TEXTS.get(problem, _FORGED),
    )
