from datetime import UTC, datetime

import pytest

from sandbox_api.operations.models import WorkOrder
from sandbox_api.operations.summary import summarise_operations

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
FEBRUARY = datetime(2026, 2, 1, tzinfo=UTC)


@pytest.mark.django_db
def test_orders_are_counted_by_status_priority_and_month():
    WorkOrder.objects.create(title="A", priority="high", created_at=FEBRUARY)
    WorkOrder.objects.create(title="B", priority="high", created_at=FEBRUARY, status="in_progress")
    WorkOrder.objects.create(
        title="C", priority="low", created_at=FEBRUARY, status="done", completed_at=FEBRUARY.replace(month=3)
    )
    summary = summarise_operations(now=NOW)
    assert summary["total"] == 3
    assert summary["byStatus"] == {"open": 1, "in_progress": 1, "done": 1, "cancelled": 0}
    assert summary["unfinishedByPriority"] == {"low": 0, "normal": 0, "high": 2, "urgent": 0}
    assert summary["byMonth"][-2:] == [
        {"month": "2026-02", "created": 3, "completed": 0},
        {"month": "2026-03", "created": 0, "completed": 1},
    ]


def test_it_is_served(sign_in):
    summary = sign_in("OPERATIONS_APP").get("/operations/summary").json()
    assert summary["total"] == 0
    assert len(summary["byMonth"]) == 12
