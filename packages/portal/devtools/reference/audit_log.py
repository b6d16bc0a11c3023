"""docs/reference/audit-log.md: the events of the audit log, as `portal.audit` declares them, with a line of each."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Final

from portal.audit import FIELDS, OUTCOMES, AuditEvent, JsonLine, Reason

PAGE: Final = "docs/reference/audit-log.md"

_USER: Final = "3c561952c8eb4f69"
_SIGN_IN: Final = "5ab1d2c8e4f09173"
_ENTERED: Final = "d0b7c3a19e5f2846"
_SESSION: Final = "8f1e6a2b0c9d7453"
_REQUEST: Final[dict[str, object]] = {
    "address": "203.0.113.7",
    "user_agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "request_id": "9f86d081884c7d659a2feaa0c55ad015",
}
_CERTAIN: Final[dict[str, object]] = {"user": _USER, "user_verified": True}
_AT: Final = datetime(2026, 11, 22, 9, 14, 3, 207_000, tzinfo=UTC)
#: Lines of each event: the app, the reason or None, and what else there is.
EVENT_EXAMPLES: Final[dict[AuditEvent, list[tuple[str, Reason | None, dict[str, object]]]]] = {
    AuditEvent.SIGN_IN: [
        (
            "auth_app",
            None,
            {**_CERTAIN, "method": "password", "entered_name": _ENTERED, "sign_in": _SIGN_IN, **_REQUEST},
        ),
        ("auth_app", Reason.WRONG_CREDENTIALS, {"method": "password", "entered_name": _ENTERED, **_REQUEST}),
        (
            "auth_app",
            None,
            {**_CERTAIN, "method": "openid", "sign_in": _SIGN_IN, "provider_session": _SESSION, **_REQUEST},
        ),
    ],
    AuditEvent.SIGN_OUT: [("energy", None, {**_CERTAIN, "sign_in": _SIGN_IN, **_REQUEST})],
    AuditEvent.SIGN_OUT_EVERYWHERE: [("auth_app", None, {**_CERTAIN, "sign_in": _SIGN_IN, **_REQUEST})],
    AuditEvent.SIGN_OUT_OTHER: [("auth_app", None, {**_CERTAIN, "other_sign_in": "ses_8mK2vQ", **_REQUEST})],
    AuditEvent.SIGN_OUT_BY_PROVIDER: [
        (
            "auth_app",
            None,
            {
                "target_user": _USER,
                "provider_session": _SESSION,
                **_REQUEST,
                "address": "198.51.100.20",
                "user_agent": "keycloak",
            },
        )
    ],
    AuditEvent.SIGN_OUT_BY_OPERATOR: [("auth_app", None, {"target_user": _USER, "by": "root"})],
    AuditEvent.REFRESH: [
        (
            "finance",
            Reason.TOKEN_REUSED,
            {"user": _USER, "user_verified": False, "sign_in": _SIGN_IN, **_REQUEST},
        ),
        (
            "energy",
            Reason.TOKEN_REFUSED,
            {**_CERTAIN, "detail": "status 401", "sign_in": _SIGN_IN, **_REQUEST},
        ),
    ],
    AuditEvent.PERMISSIONS: [
        (
            "auth_app",
            None,
            {
                **_CERTAIN,
                "target_user": "a1d0c6e83f027327",
                "before": ("ENERGY_APP",),
                "after": ("ENERGY_APP", "FINANCE_APP"),
                **_REQUEST,
            },
        )
    ],
    AuditEvent.PASSWORD_RESET_REQUEST: [("auth_app", None, {"entered_name": _ENTERED, **_REQUEST})],
    AuditEvent.PASSWORD_RESET: [("auth_app", Reason.LINK_REFUSED, _REQUEST)],
}

_INTRODUCTION: Final = """\
# The audit log

Each sign-in, each sign-out and each change of permissions writes one line: one JSON object, whatever `APP_LOG_FORMAT` says. A line has
no password, no token, no email address and no name. `APP_AUDIT_LOG` says where the lines go; [why they look
so](../adr/0043-the-audit-log.md). This page is written from `portal.audit` by `./manage.py update_reference`.

A sign-in that ends by itself, because its tokens expire and nobody uses them any more, has no line: no server notices it. Neither has a page
that somebody may not open: `/metrics` counts those.

## Where the lines go

| `APP_AUDIT_LOG` | the lines go |
|---|---|
| unset, or `stderr` | to stderr, between the lines of [the log](log.md). With `APP_LOG_FORMAT=json` the field `logger` tells them apart, in text the `{` at the beginning |
| the absolute path of a file | there, and nowhere else. All processes of a machine may have the same file: each line is appended by one system call. The file is on a local disk, and its folder may be written by the servers' user |
| `off` | nowhere |

If the file can't be written, because the disk is full, say, then the line goes to stderr instead, and the log has a line of level `ERROR` from
`portal.audit_file`. The sign-in goes on. A file that is moved away is made anew, so logrotate needs no `copytruncate` and no signal:

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

With systemd, the file's folder is made by `LogsDirectory=portal` in the unit (`systemctl edit portal@.service`), which also lets the servers write there.

## How long to keep it

An IP address and a pseudonym are personal data, so there is a longest time too. What we suggest: twelve months, of which the last three are at hand.
That is what card payment rules (PCI DSS 4.0, 10.5.1) ask for; where no rule asks for more, six months are enough for most enquiries. Who may read the log is
one group that is not the portal's own administrators: they are in it.

## Questions, and their answers by jq

The lines of an account, by the subject of its tokens (the sandbox's and most backends' `id` of the account):

```sh
user=$(printf %s acc_1 | sha256sum | cut -c1-16)
jq -c --arg user "$user" 'select(.user == $user or .target_user == $user)' audit.jsonl
```

From stderr of systemd, in place of the file: `journalctl -u 'portal@*' -o cat | grep '^{' | jq -c 'select(.logger == "portal.audit")'`.

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

The `entered_name` of an account stands in each line of its successful sign-ins, beside `user`: so a failed try is found without the name. To find
the tries for a name that never signed in, an operator of the gateway makes the hash:

```sh
printf %s energy@example.com | ./manage.py --app auth_app audit_name
```
"""


def markdown() -> str:
    """The whole page."""
    return "\n".join(
        [
            _INTRODUCTION,
            "## Fields\n",
            "A field that is not known is left out.\n",
            "| field | is |\n|---|---|",
            *(f"| `{name}` | {meaning} |" for name, meaning in FIELDS.items()),
            "\n## Outcomes and reasons\n",
            "| outcome | means |\n|---|---|",
            *(f"| `{outcome.value}` | {meaning} |" for outcome, meaning in OUTCOMES.items()),
            "",
            "| reason | outcome | means |\n|---|---|---|",
            *(f"| `{reason.label}` | {reason.outcome.value} | {reason.meaning} |" for reason in Reason),
            "\n## Events\n",
            *(_section(event) for event in AuditEvent),
        ]
    )


def _section(event: AuditEvent) -> str:
    lines = [_line(event, *example) for example in EVENT_EXAMPLES[event]]
    meaning = f"{event.meaning[0].upper()}{event.meaning[1:]}."
    return "\n".join([f"### {event.label}\n", f"{meaning}\n", *(f"```json\n{line}\n```\n" for line in lines)])


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
