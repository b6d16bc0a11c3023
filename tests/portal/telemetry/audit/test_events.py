"""The tables of the audit log, and what the code writes."""

import re

from portal.telemetry.audit.events import FIELDS, AuditEvent, AuditFields, Outcome, Reason
from tests.support.harness import ROOT

#: Written by a command.
BY_COMMAND = {"SIGN_OUT_BY_OPERATOR"}
CODE = "".join(
    path.read_text()
    for folder in (*(ROOT / "packages").glob("portal*"), ROOT / "apps")
    for path in folder.rglob("*.py")
    if path.parent.name not in {"audit", "reference"} and "testing" not in path.parts
)


def named(kind: str) -> set[str]:
    """The members of an enumeration that code names."""
    return set(re.findall(rf"\b{kind}\.([A-Z_]+)\b", CODE))


def test_each_reason_and_event_is_written_somewhere_and_each_field_is_described() -> None:
    assert {reason.name for reason in Reason} == named("Reason")
    assert Outcome.SUCCESS not in {reason.outcome for reason in Reason}
    assert {event.name for event in AuditEvent} - BY_COMMAND <= named("AuditEvent")
    assert set(AuditFields.__annotations__) <= set(FIELDS)
