"""Each line of the audit log counts for `/metrics`, and names nobody there."""

from portal.telemetry import audit
from portal.telemetry.audit import AuditEvent, Reason
from tests.support.counts import counted, is_listed


def test_a_line_counts_by_its_event_outcome_and_reason() -> None:
    throttled = {"event": "sign-in", "outcome": "throttled", "reason": "too-many-failures"}
    good = {"event": "sign-out", "outcome": "success", "reason": "none"}
    before = counted("portal_audit_events_total", **throttled), counted("portal_audit_events_total", **good)
    audit.write(AuditEvent.SIGN_IN, Reason.TOO_MANY_FAILURES, user=None)
    audit.write(AuditEvent.SIGN_OUT, user="3c561952c8eb4f69")
    after = counted("portal_audit_events_total", **throttled), counted("portal_audit_events_total", **good)
    assert after == (before[0] + 1, before[1] + 1)


def test_what_alerts_look_at_is_listed_before_it_happens() -> None:
    for event in AuditEvent:
        assert is_listed("portal_audit_events_total", event=event.label, outcome="success", reason="none")
    wrong = {"event": "sign-in", "outcome": "failure", "reason": "wrong-credentials"}
    assert is_listed("portal_audit_events_total", **wrong)
