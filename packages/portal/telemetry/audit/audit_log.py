"""Writes the lines of the audit log, on the logger `portal.audit`, and counts them for `/metrics`."""

import logging
from collections.abc import Callable
from contextvars import ContextVar
from typing import Final, TypedDict, Unpack

from portal.telemetry.audit.events import FIELDS, AuditEvent, AuditFields, Outcome, Reason
from portal.telemetry.audit.lines import RECORD_ATTRIBUTE
from portal.telemetry.metrics import Counters, Label

LOGGER_NAME: Final = "portal.audit"
#: The value of the label `reason` of a success.
_NO_REASON: Final = "none"
_counters: Final = Counters(
    "portal_audit_events_total",
    "Sign-ins, sign-outs, refused refreshes, permissions and password resets, as the audit log has them.",
    labels=[
        Label(name="event", says="as in [the audit log](audit-log.md): `sign-in`, `sign-out` …"),
        Label(name="outcome", says="`success`, `failure`, `throttled`, `unavailable`"),
        Label(name="reason", says="why it was no success; `none` for a success"),
    ],
    limit=len(AuditEvent) * (1 + len(Reason)),
)
#: How a sign-in fails: listed with 0, since alerts look at them.
_SIGN_IN_REASONS: Final = (
    Reason.WRONG_CREDENTIALS,
    Reason.TOKEN_UNUSABLE,
    Reason.UNEXPECTED_ANSWER,
    Reason.CANCELLED,
    Reason.UNKNOWN_ATTEMPT,
    Reason.CODE_REFUSED,
    Reason.PROVIDER_ERROR,
    Reason.ID_TOKEN_REFUSED,
    Reason.TOO_MANY_FAILURES,
    Reason.TOO_MANY_SIGN_INS,
    Reason.BACKEND_UNAVAILABLE,
    Reason.PROVIDER_UNAVAILABLE,
)

logger = logging.getLogger(LOGGER_NAME)


class AuditedRequest(TypedDict):
    """What a line tells of the request that it belongs to; see :data:`portal.telemetry.audit.events.FIELDS`."""

    user: str | None
    user_verified: bool
    address: str | None
    user_agent: str | None
    request_id: str


#: The request of this thread, as a function that is called only where a line is written.
audited_request: ContextVar[Callable[[], AuditedRequest] | None] = ContextVar("audited_request", default=None)


def _count(event: AuditEvent, reason: Reason | None, number: int) -> None:
    outcome = reason.outcome if reason else Outcome.SUCCESS
    _counters.add(number, event.label, outcome.value, reason.label if reason else _NO_REASON)


for _event in AuditEvent:
    _count(_event, None, 0)
for _reason in _SIGN_IN_REASONS:
    _count(AuditEvent.SIGN_IN, _reason, 0)


def write(event: AuditEvent, reason: Reason | None = None, /, **fields: Unpack[AuditFields]) -> None:
    """Write the one line of an event. A log that can't be written raises nothing here, and says so in the other log.

    Within a request the line tells who asked for it, and from where. Outside of one, as in a command, `user` and `by`
    are what the caller gives.

    :param reason: why the event was no success; None for a success.
    :param fields: what is known beside that; a value of None is left out, and takes the request's own `user` away.
    """
    _count(event, reason, 1)
    line: dict[str, object] = {"event": event.label, "outcome": (reason.outcome if reason else Outcome.SUCCESS).value}
    if reason is not None:
        line["reason"] = reason.label
    of_request = audited_request.get()
    if of_request is not None:
        line |= of_request()
    line |= fields
    if line.get("user") is None:
        line.pop("user_verified", None)
    known = {name: line[name] for name in FIELDS if line.get(name) is not None}
    logger.info(event.label, extra={RECORD_ATTRIBUTE: known})
