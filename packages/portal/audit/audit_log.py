"""Writes the lines of the audit log, on the logger `portal.audit`."""

from __future__ import annotations

import logging
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Unpack

from portal.audit.events import FIELDS, AuditEvent, AuditFields, Outcome, Reason
from portal.audit.lines import RECORD_ATTRIBUTE

if TYPE_CHECKING:
    from collections.abc import Callable

LOGGER_NAME: Final = "portal.audit"

logger = logging.getLogger(LOGGER_NAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedRequest:
    """What a line tells of the request that it belongs to; see :data:`portal.audit.events.FIELDS`."""

    user: str | None
    user_verified: bool
    address: str | None
    user_agent: str | None
    request_id: str


#: The request of this thread, as a function that is called only where a line is written.
audited_request: ContextVar[Callable[[], AuditedRequest] | None] = ContextVar("audited_request", default=None)


def write(event: AuditEvent, reason: Reason | None = None, /, **fields: Unpack[AuditFields]) -> None:
    """Write the one line of an event. A log that can't be written raises nothing here, and says so in the other log.

    Within a request the line tells who asked for it, and from where. Outside of one, as in a command, `user` and `by`
    are what the caller gives.

    :param reason: why the event was no success; None for a success.
    :param fields: what is known beside that; a value of None is left out, and takes the request's own `user` away.
    """
    line: dict[str, object] = {"event": event.label, "outcome": (reason.outcome if reason else Outcome.SUCCESS).value}
    if reason is not None:
        line["reason"] = reason.label
    of_request = audited_request.get()
    if of_request is not None:
        request = of_request()
        line |= {
            "user": request.user,
            "user_verified": request.user_verified,
            "address": request.address,
            "user_agent": request.user_agent,
            "request_id": request.request_id,
        }
    line |= fields
    if line.get("user") is None:
        line.pop("user_verified", None)
    known = {name: line[name] for name in FIELDS if line.get(name) is not None}
    logger.info(event.label, extra={RECORD_ATTRIBUTE: known})
