"""Work orders: the form and the presenters."""

from __future__ import annotations

from typing import Any

import pytest

from apps.operations.forms import WorkOrderForm
from apps.operations.presenters.overview import present_overview
from apps.operations.presenters.work_orders import present_work_order


def test_a_work_order_is_sent_with_the_fields_of_the_wire() -> None:
    form = WorkOrderForm({"title": "Tighten the screws", "priority": "high", "stationId": ""})
    assert form.is_valid()
    assert form.body() == {"title": "Tighten the screws", "priority": "high", "stationId": None}


@pytest.mark.parametrize(
    ("field", "value"),
    [("title", ""), ("title", "x" * 201), ("priority", ""), ("priority", "whenever"), ("title", "a\nb")],
)
def test_a_field_that_is_not_valid_is_named_alone(field: str, value: str) -> None:
    form = WorkOrderForm({"title": "T", "priority": "low", "stationId": "sta_1"} | {field: value})
    assert set(form.errors) == {field}


@pytest.mark.parametrize(
    ("status", "can_complete"), [("open", True), ("in_progress", True), ("done", False), ("cancelled", False)]
)
def test_only_what_is_not_finished_can_be_completed(status: str, can_complete: bool) -> None:
    assert present_work_order({"id": "w", "status": status}).can_complete is can_complete


def test_a_record_with_nothing_but_an_id_can_be_shown() -> None:
    shown = present_work_order({"id": "wor_1"})
    assert (shown.title, shown.assignee, shown.created_at) == ("wor_1", "", None)


def test_the_overview_shows_the_summary_and_falls_back_to_the_lists_total() -> None:
    summary: dict[str, Any] = {
        "total": 3,
        "byStatus": {"open": 2, "done": 1},
        "unfinishedByPriority": {"high": 2},
        "byMonth": [{"month": "2026-01", "created": 3, "completed": 1}],
    }
    shown = present_overview(summary, total=99)
    assert [tile.value for tile in shown.tiles] == ["3", "2", "1"]
    assert shown.created is not None
    bare = present_overview({}, total=99)
    assert [tile.value for tile in bare.tiles] == ["99"]
    assert (bare.created, bare.by_status, bare.by_priority) == (None, None, None)
