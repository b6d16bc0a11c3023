"""Time limits."""

from __future__ import annotations

from portal.process.deadline import Deadline


def test_a_deadline_counts_down_and_stays_at_zero():
    now = [100.0]
    deadline = Deadline(5, clock=lambda: now[0])
    assert (deadline.remaining(), deadline.passed) == (5, False)
    now[0] = 104
    assert (deadline.remaining(), deadline.passed) == (1, False)
    now[0] = 105
    assert (deadline.remaining(), deadline.passed) == (0, True)
    now[0] = 200
    assert deadline.remaining() == 0
