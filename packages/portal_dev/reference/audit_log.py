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

_INTRODUCTION: Final = """\
# The audit log

Each sign-in, sign-out and change of permissions writes one JSON object on a line, whatever `APP_LOG_FORMAT` says. A line has no
password, token, email address or name. A sign-in that ends because its tokens expire has no line, nor has a page that somebody may not open (`/metrics` counts those).

## Where the lines go

| `APP_AUDIT_LOG` | the lines go |
|---|---|
| unset, or `stderr` | between the lines of [the log](log.md); their `logger` is `portal.audit` |
| the absolute path of a file | there, for all processes of a machine; on a local disk, in a folder where the servers' user may write |
| `off` | nowhere |

If the file can't be written, the line goes to stderr, the log has an `ERROR` of `portal.audit_file`, and the sign-in goes on. A file that was moved
away is made anew, so logrotate needs neither `copytruncate` nor a signal:

<!-- not run: a file of logrotate, which is not needed on a machine that runs the tests -->
```text
/var/log/portal/audit.jsonl {
    monthly
    rotate 12
    compress
    delaycompress
    missingok
    su portal portal
}
```

With systemd, `LogsDirectory=portal` in the unit (`systemctl edit portal@.service`) makes the folder and lets the servers write there.

## How long to keep it

IP addresses and pseudonyms are personal data. Card payment rules (PCI DSS 4.0, 10.5.1) ask for twelve months, three of them at hand; else six months are enough for most enquiries. The portal's own administrators should not read it: they are in it.

## Questions, and their answers by jq

The lines of an account, by the subject of its tokens (mostly its `id`):

```sh
user=$(printf %s acc_1 | sha256sum | cut -c1-16)
jq -c --arg user "$user" 'select(.user == $user or .target_user == $user)' audit.jsonl
```

From systemd's stderr: `journalctl -u 'portal@*' -o cat | grep '^{' | jq -c 'select(.logger == "portal.audit")'`.

| question | filter |
|---|---|
| who signed in as this account, from where | `select(.event == "sign-in" and .user == $user) \\| {time, outcome, address, user_agent, sign_in}` |
| all tries from an address | `select(.event == "sign-in" and .address == "203.0.113.7")` |
| failed tries for the same name as in a certain line | `select(.event == "sign-in" and .outcome != "success" and .entered_name == $entered)` |
| one sign-in, from its begin to its end | `select(.sign_in == $sign_in)` |
| names with more than 20 failed tries (`jq -s`) | `map(select(.event == "sign-in" and .reason == "wrong-credentials")) \\| group_by(.entered_name)[] \\| select(length > 20) \\| {name: .[0].entered_name, tries: length}` |
| addresses that tried more than 10 names (`jq -s`) | `map(select(.event == "sign-in" and .outcome != "success")) \\| group_by(.address)[] \\| select((map(.entered_name) \\| unique \\| length) > 10) \\| .[0].address` |
| who gave somebody the right to administer accounts | `select(.event == "permissions" and ((.after - (.before // [])) \\| index("IAM_ADMIN")))` |
| stolen cookies, perhaps | `select(.reason == "token-reused")` |

An account's `entered_name` stands in its successful sign-ins. For another name an operator of the gateway makes the hash:

```sh
printf %s energy@example.com | ./manage.py --app auth_app audit_name
```
"""


def markdown() -> str:
    """The whole page."""
    lines = (f"```json\n{_line(*example)}\n```\n" for example in _EXAMPLES)
    return "\n".join(
        [
            _INTRODUCTION,
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
