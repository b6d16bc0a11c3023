"""The three results of a refresh, and that of a sign-out; what the audit log has of sign-ins that end by a refresh."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from portal.api.metrics import RefreshOutcome
from portal.api.refresh.sealing import sign_in_id
from portal.telemetry import audit

if TYPE_CHECKING:
    from portal.api.tokens import TokenPair
    from portal.errors import PortalError


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """Newer tokens for the holder of the submitted one."""

    pair: TokenPair = field(repr=False)
    outcome: RefreshOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInEnded:
    """The sign-in is over. With `LOST`, because nobody can tell what became of its latest token.

    :param secret: of the sign-in's family.
    """

    outcome: RefreshOutcome
    secret: str = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryLater:
    """Nothing is known now; another try may help, and nobody is signed out.

    :param cause: why, for the log.
    """

    outcome: RefreshOutcome
    cause: PortalError | None = field(default=None, compare=False)


RefreshResult: TypeAlias = Refreshed | SignInEnded | RetryLater


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedOut:
    """A sign-in was signed out.

    :param pairs: its known pairs: the request's own first, the latest last.
    :param sign_in: its name in the audit log; None if it has no refresh token, or the store did not answer.
    :param is_marked: whether the store knows it: if not, the backend's own revocation remains.
    """

    pairs: list[TokenPair] = field(repr=False)
    sign_in: str | None
    is_marked: bool


def audit_refusal(secret: str, *, says: str, reason: audit.Reason = audit.Reason.TOKEN_REFUSED) -> None:
    """The token endpoint has refused a token of this sign-in. Later requests learn it from the records, silently.

    :param secret: of the sign-in's family.
    :param says: what the answer was, in words of the portal.
    """
    audit.write(audit.AuditEvent.REFRESH, reason, detail=says, sign_in=sign_in_id(secret))


def audit_end(result: RefreshResult) -> None:
    """An attempt has ended so. A token that is used again is told each time; so is a lost one."""
    if not isinstance(result, SignInEnded):
        return
    sign_in = sign_in_id(result.secret)
    if result.outcome is RefreshOutcome.REPLAY_SEEN:
        audit.write(audit.AuditEvent.REFRESH, audit.Reason.TOKEN_REUSED, sign_in=sign_in)
    elif result.outcome is RefreshOutcome.LOST:
        audit.write(audit.AuditEvent.REFRESH, audit.Reason.ANSWER_LOST, sign_in=sign_in)
