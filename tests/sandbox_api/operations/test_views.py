from datetime import timedelta

import pytest
from django.utils import timezone

from sandbox_api.energy.models import Station
from sandbox_api.operations.models import WorkOrder


@pytest.fixture
def operations(sign_in):
    return sign_in("OPERATIONS_APP")


@pytest.fixture
def station(db):
    return Station.objects.create(name="Oslo Sentrum", address="", city="Oslo", country="NO", latitude=0, longitude=0)


@pytest.fixture
def order(station):
    return WorkOrder.objects.create(title="Replace the cable", station=station, priority="high")


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("title", ["", "x" * 201, "a\nb", None]),
        ("priority", ["soon", "", None, ["high"]]),
        ("stationId", ["sta_unknown", "x" * 100, {"id": 1}, "\0"]),
        ("dueAt", ["tomorrow", "\0"]),
    ],
)
def test_each_wrong_field_has_a_message(operations, problem, order, field, values):
    for value in values:
        body = {"title": "Look", "priority": "low", field: value}
        assert problem(operations.post("/operations/work-orders", body), 422, field), value
        assert problem(operations.patch(f"/operations/work-orders/{order.id}", {field: value}), 422, field), value


def test_done_sets_the_time_which_may_be_given_and_reopening_clears_it(operations, order, problem):
    path = f"/operations/work-orders/{order.id}"
    done = operations.patch(path, {"status": "done"}).json()
    assert done["completedAt"]
    again = operations.patch(path, {"status": "done", "assignee": "Ayşe"}).json()
    assert again["completedAt"] == done["completedAt"]
    assert again["assignee"] == "Ayşe"
    assert operations.patch(path, {"priority": "low"}).json()["completedAt"] == done["completedAt"]
    assert operations.patch(path, {"status": "in_progress"}).json()["completedAt"] is None
    then = "2025-02-03T04:05:06.123456Z"
    assert operations.patch(path, {"status": "done", "completedAt": then}).json()["completedAt"] == then
    assert operations.patch(path, {"completedAt": None}).json()["completedAt"] == then
    tomorrow = (timezone.now() + timedelta(days=1)).isoformat()
    assert problem(operations.patch(path, {"completedAt": tomorrow}), 422, "completedAt")
    assert operations.patch(path, {"status": "open", "completedAt": then}).json()["completedAt"] is None
    # So a reopening can be taken back whole.
    row = operations.patch(path, {"completedAt": then}).json()
    assert (row["status"], row["completedAt"]) == ("done", then)


def make_orders(*fields):
    return [WorkOrder.objects.create(**{"title": f"{n}", "priority": "low", **each}) for n, each in enumerate(fields)]


def titles(operations, sort):
    return [row["title"] for row in operations.get("/operations/work-orders", {"sort": sort}).json()["items"]]


def test_orders_sort_by_what_priority_and_status_mean_also_after_a_change(operations):
    orders = make_orders(
        {"priority": "normal", "status": "done"},
        {"priority": "urgent", "status": "cancelled"},
        {"priority": "low", "status": "in_progress"},
        {"priority": "high", "status": "open"},
    )
    assert titles(operations, "-priority") == ["1", "3", "0", "2"]
    assert titles(operations, "status") == ["3", "2", "0", "1"]
    operations.patch(f"/operations/work-orders/{orders[2].id}", {"priority": "urgent", "status": "cancelled"})
    assert set(titles(operations, "-priority")[:2]) == {"1", "2"}
    assert titles(operations, "status")[:2] == ["3", "0"]


def test_orders_without_a_date_are_due_last_and_a_walk_passes_them(operations):
    days = ("2026-03-02", None, "2026-03-01", None, "2026-03-03")
    make_orders(*({"due_at": day and f"{day}T12:00:00Z"} for day in days))
    assert titles(operations, "dueAt")[:3] == ["2", "0", "4"]
    seen, cursor = [], ""
    while cursor is not None:
        query = {"sort": "-dueAt", "limit": 1, "cursor": cursor}
        page = operations.get("/operations/work-orders", query).json()
        seen += [row["title"] for row in page["items"]]
        cursor = page["nextCursor"]
    assert seen[2:] == ["4", "0", "2"]
    assert sorted(seen[:2]) == ["1", "3"]
