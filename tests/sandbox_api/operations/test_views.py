import pytest

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


def test_a_new_order_is_open(operations, station):
    body = {"title": "Look", "stationId": station.id, "priority": "urgent", "status": "done"}
    answer = operations.post("/operations/work-orders", body)
    row = answer.json()
    assert answer.status_code == 201
    assert row == {
        "id": row["id"],
        "title": "Look",
        "stationId": station.id,
        "stationName": "Oslo Sentrum",
        "priority": "urgent",
        "status": "open",
        "assignee": None,
        "createdAt": row["createdAt"],
        "completedAt": None,
    }
    assert operations.get(f"/operations/work-orders/{row['id']}").json() == row


@pytest.mark.parametrize("without", [{}, {"stationId": None}, {"stationId": ""}])
def test_an_order_needs_no_station(operations, without):
    row = operations.post("/operations/work-orders", {"title": "Look", "priority": "low", **without}).json()
    assert (row["stationId"], row["stationName"]) == (None, None)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", ""),
        ("title", "x" * 201),
        ("title", "a\nb"),
        ("priority", "soon"),
        ("priority", None),
        ("priority", ["high"]),
        ("stationId", "sta_unknown"),
        ("stationId", "x" * 100),
        ("stationId", {"id": 1}),
        ("stationId", "\0"),
    ],
)
def test_each_wrong_field_of_a_new_order_has_a_message(operations, problem, field, value):
    body = {"title": "Look", "priority": "low", field: value}
    assert problem(operations.post("/operations/work-orders", body), 422, field)


def test_title_and_priority_are_required(operations, problem):
    assert problem(operations.post("/operations/work-orders", {}), 422, "title", "priority")


def test_done_sets_the_time_and_reopening_clears_it(operations, order):
    path = f"/operations/work-orders/{order.id}"
    done = operations.patch(path, {"status": "done"}).json()
    assert done["completedAt"]
    again = operations.patch(path, {"status": "done", "assignee": "Ayşe"}).json()
    assert again["completedAt"] == done["completedAt"]
    assert again["assignee"] == "Ayşe"
    assert operations.patch(path, {"priority": "low"}).json()["completedAt"] == done["completedAt"]
    assert operations.patch(path, {"status": "in_progress"}).json()["completedAt"] is None


def test_a_title_can_not_be_changed(operations, order):
    row = operations.patch(f"/operations/work-orders/{order.id}", {"title": "Other"}).json()
    assert row["title"] == "Replace the cable"


@pytest.mark.parametrize(
    ("field", "value"), [("status", "gone"), ("status", None), ("priority", ""), ("assignee", "x" * 101)]
)
def test_each_wrong_field_of_a_change_has_a_message(operations, problem, order, field, value):
    assert problem(operations.patch(f"/operations/work-orders/{order.id}", {field: value}), 422, field)


def test_an_unknown_order_is_404(operations, problem):
    assert problem(operations.patch("/operations/work-orders/wor_unknown", {"status": "done"}), 404)


def test_orders_are_found_by_title_assignee_and_station(operations, order):
    for query in ("q=cable", "q=oslo+replace", f"stationId={order.station_id}", "status=open&priority=high"):
        assert operations.get(f"/operations/work-orders?{query}").json()["total"] == 1, query


def test_an_order_outlives_its_station(operations, order, station):
    station.delete()
    assert operations.get(f"/operations/work-orders/{order.id}").json()["stationId"] is None
