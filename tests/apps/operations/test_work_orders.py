"""Work orders: the form, and how they are shown."""

from __future__ import annotations

import pytest
from django.test import Client

from apps.operations.views.work_orders import WorkOrderForm
from portal.testing import Backend, SignedIn

WORK_ORDERS = "/operations/work-orders"


@pytest.fixture
def operations_user(signed_in: SignedIn) -> Client:
    return signed_in("OPERATIONS_APP")


VALID = {"title": "Tighten the screws", "priority": "high", "stationId": ""}


def test_a_work_order_is_sent_with_the_fields_of_the_wire() -> None:
    form = WorkOrderForm(VALID)
    assert form.is_valid()
    assert form.body().to_wire() == VALID | {"stationId": None, "dueAt": None}


@pytest.mark.parametrize(
    ("field", "values"),
    [("title", ["", "x" * 201, "a\nb"]), ("priority", ["", "whenever"]), ("stationId", ["x" * 65])],
)
def test_a_field_that_is_not_valid_is_named_alone(field: str, values: list[str]) -> None:
    for value in values:
        form = WorkOrderForm(VALID | {field: value})
        assert [form[name].html_name for name in form.errors] == [field], value


@pytest.mark.parametrize(
    ("status", "can_complete"),
    [("open", True), ("in_progress", True), ("done", False), ("cancelled", False), ("other", True), (None, True)],
)
def test_only_what_is_not_finished_can_be_completed(
    backend: Backend, operations_user: Client, status: str | None, can_complete: bool
) -> None:
    backend.answers("GET", f"{WORK_ORDERS}/wor_1", json={"id": "wor_1", "status": status})
    page = operations_user.get("/en/operations/work-orders/wor_1").content.decode()
    assert ("Mark as done" in page) is can_complete


def test_a_station_without_a_name_is_called_by_its_id(backend: Backend, operations_user: Client) -> None:
    backend.lists(WORK_ORDERS, [{"id": "wor_1", "stationId": "sta_7", "stationName": None}])
    assert '<span class="sub">sta_7</span>' in operations_user.get("/en/operations/work-orders").content.decode()


def test_without_a_summary_the_overview_has_the_lists_total_and_no_chart(
    backend: Backend, operations_user: Client
) -> None:
    backend.lists(WORK_ORDERS, [{"id": f"wor_{number}"} for number in range(7)])
    backend.refuses("GET", "/operations/summary", status=404)
    page = operations_user.get("/en/operations").content.decode()
    assert '<span class="figure-value">7</span>' in page
    assert page.count('class="figure-value"') == 1
    assert "<figure>" not in page
