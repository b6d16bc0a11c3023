"""docs/reference/audit-log.md: the events of the audit log, as `portal.telemetry.audit` declares them, with some lines."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Final

from portal.telemetry.audit import FIELDS, OUTCOMES, AuditEvent, JsonLine, Reason

PAGE: Final = "docs/reference/audit-log.md"

_USER: Final = "3c561952c8eb4f69"
_SIGN_IN: Final = "5ab1d2c8e4f09173"
_ENTERED: Final = "d0b7c3a19e5f2846"
_CERTAIN: Final[dict[str, object]] = {"user": _USER, "user_verified": True}
_REQUEST: Final[dict[str, object]] = {
    "address": "203.0.113.7",
    "user_agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0)",
    "request_id": "9f86d081884c7d659a2feaa0c55ad015",
}
_USUAL_OUTCOME: Final = "failure"
_AT: Final = datetime(2026, 11, 22, 9, 14, 3, 207_000, tzinfo=UTC)
#: Some lines: the event, the app, the reason or None, and what else there is.
_EXAMPLES: Final[list[tuple[AuditEvent, str, Reason | None, dict[str, object]]]] = [
    (
        AuditEvent.SIGN_IN,
        "auth_app",
        None,
        {**_CERTAIN, "method": "password", "entered_name": _ENTERED, "sign_in": _SIGN_IN, **_REQUEST},
    ),
    (
        AuditEvent.REFRESH,
        "finance",
        Reason.TOKEN_REUSED,
        {"user": _USER, "user_verified": False, "sign_in": _SIGN_IN, **_REQUEST},
    ),
]


def markdown() -> str:
    """The events, the fields, the outcomes and the reasons."""
    lines = (f"```json\n{_line(*example)}\n```\n" for example in _EXAMPLES)
    return "\n".join(
        [
            "## Events\n",
            *(f"- `{event.label}`: {event.meaning}" for event in AuditEvent),
            "",
            *lines,
            "## Fields\n",
            "A field that is not known is left out.\n",
            *(f"- `{name}`: {meaning}" for name, meaning in FIELDS.items()),
            "\n## Outcomes and reasons\n",
            *(f"- `{outcome.value}`: {meaning}" for outcome, meaning in OUTCOMES.items()),
            "",
            "Reasons, of failures where nothing else is said:\n",
            *(f"- `{reason.label}`: {_outcome(reason)}{reason.meaning}" for reason in Reason),
        ]
    )


def _outcome(reason: Reason) -> str:
    """The outcome, where it is not the usual one."""
    return "" if reason.outcome.value == _USUAL_OUTCOME else f"{reason.outcome.value}: "


def _line(event: AuditEvent, app: str, reason: Reason | None, fields: dict[str, object]) -> str:
    told: dict[str, object] = {"event": event.label, "outcome": reason.outcome.value if reason else "success"}
    if reason is not None:
        told["reason"] = reason.label
    told |= fields
    record = logging.makeLogRecord(
        {
            "name": "portal.audit",
            "created": _AT.timestamp(),
            "audit": {name: told[name] for name in FIELDS if name in told},
        }
    )
    text: str = JsonLine(app=app).format(record)
    return json.dumps(json.loads(text), ensure_ascii=True)
