"""The audit log's lines about sign-ins that end because their tokens can't be refreshed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal import audit
from portal.api.metrics import RefreshOutcome
from portal.api.refresh.results import SignInEnded
from portal.api.refresh.sealing import sign_in_id

if TYPE_CHECKING:
    from portal.api.refresh.results import RefreshResult


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
