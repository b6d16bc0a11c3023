from datetime import UTC, date, datetime, timedelta

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


@pytest.mark.django_db
def test_a_period_counts_what_came_and_went_and_unfinished_orders_have_an_age():
    for days in (0, 7, 8, 40, 400):
        WorkOrder.objects.create(title="A", priority="high", created_at=NOW - timedelta(days=days, hours=1))
    WorkOrder.objects.create(
        title="B",
        priority="low",
        created_at=NOW - timedelta(days=40),
        completed_at=NOW - timedelta(hours=1),
        status="done",
    )
    summary = summarise_operations(now=NOW)
    assert summary["current"] == {"created": 3, "completed": 1}
    assert summary["before"] == {"created": 2, "completed": 0}
    assert sum(point["created"] for point in summary["series"]) == 3
    assert [age["count"] for age in summary["unfinishedByAge"]] == [2, 1, 1, 1]
    assert summary["late"]["count"] == 0
    assert [age["toDay"] for age in summary["unfinishedByAge"]][:2] == [None, date(2026, 3, 7)]


@pytest.mark.django_db
def test_an_unfinished_order_is_late_from_the_day_after_it_was_due():
    for due_at in (NOW.replace(hour=1), NOW - timedelta(days=1), None):
        for status in ("open", "done"):
            WorkOrder.objects.create(title="A", priority="low", due_at=due_at, status=status)
    assert summarise_operations(now=NOW)["late"] == {"fromDay": None, "toDay": date(2026, 3, 14), "count": 1}
