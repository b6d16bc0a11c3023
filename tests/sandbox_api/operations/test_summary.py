from datetime import UTC, date, datetime, timedelta

import pytest

from sandbox_api.operations.models import WorkOrder
from sandbox_api.operations.summary import summarise_operations

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)


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
