"""docs/reference/audit-log.md: the events, fields and reasons that `portal.telemetry.audit` declares."""

from typing import Final

from portal.telemetry.audit import FIELDS, OUTCOMES, AuditEvent, Reason

PAGE: Final = "docs/reference/audit-log.md"


def markdown() -> str:
    """Return the events, the fields, the outcomes and the reasons."""
    return "\n".join(
        [
            "## Events\n",
            *(f"- `{event.label}`: {event.meaning}" for event in AuditEvent),
            "\n## Fields\n",
            "A field that is not known is left out.\n",
            *(f"- `{name}`: {meaning}" for name, meaning in FIELDS.items()),
            "\n## Outcomes and reasons\n",
            *(f"- `{outcome.value}`: {meaning}" for outcome, meaning in OUTCOMES.items()),
            "\nReasons, of failures where nothing else is said:\n",
            *(
                f"- `{each.label}`: {f'{each.outcome.value}: '.removeprefix('failure: ')}{each.meaning}"
                for each in Reason
            ),
        ]
    )
