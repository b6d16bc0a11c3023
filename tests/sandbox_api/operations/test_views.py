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


def test_a_new_order_is_open(operations, station):
    body = {"title": "Look", "stationId": station.id, "priority": "urgent", "status": "done"}
    body["dueAt"] = "2026-03-20T16:00:00+01:00"
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
        "dueAt": "2026-03-20T15:00:00Z",
        "completedAt": None,
        "version": 1,
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
        ("dueAt", "tomorrow"),
        ("dueAt", "\0"),
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


def test_who_says_when_it_was_done_is_believed_but_not_of_the_future(operations, order, problem):
    path, then = f"/operations/work-orders/{order.id}", "2025-02-03T04:05:06.123456Z"
    assert operations.patch(path, {"status": "done", "completedAt": then}).json()["completedAt"] == then
    assert operations.patch(path, {"completedAt": None}).json()["completedAt"] == then
    tomorrow = (timezone.now() + timedelta(days=1)).isoformat()
    assert problem(operations.patch(path, {"completedAt": tomorrow}), 422, "completedAt")
    assert operations.patch(path, {"status": "open", "completedAt": then}).json()["completedAt"] is None
    row = operations.patch(path, {"completedAt": then}).json()
    assert (row["status"], row["completedAt"]) == ("done", then)


def test_a_reopening_can_be_taken_back_whole(operations, order):
    path = f"/operations/work-orders/{order.id}"
    done = operations.patch(path, {"status": "done"}).json()
    operations.patch(path, {"status": "open", "completedAt": None})
    back = operations.patch(path, {"status": "done", "completedAt": done["completedAt"]}).json()
    assert back == done | {"version": done["version"] + 2}


def test_title_station_and_date_can_be_changed(operations, order):
    other = Station.objects.create(name="Bergen", city="Bergen", country="NO", latitude=0, longitude=0)
    path = f"/operations/work-orders/{order.id}"
    row = operations.patch(path, {"title": "Other", "stationId": other.id, "dueAt": "2026-04-01T15:00:00Z"}).json()
    assert (row["title"], row["stationName"], row["dueAt"]) == ("Other", "Bergen", "2026-04-01T15:00:00Z")
    row = operations.patch(path, {"stationId": None, "dueAt": None}).json()
    assert (row["title"], row["stationId"], row["stationName"], row["dueAt"]) == ("Other", None, None, None)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("status", "gone"),
        ("status", None),
        ("priority", ""),
        ("assignee", "x" * 101),
        ("title", ""),
        ("title", None),
        ("stationId", "sta_unknown"),
        ("dueAt", "soon"),
        ("completedAt", "soon"),
    ],
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


def make_orders(*fields):
    return [WorkOrder.objects.create(**{"title": f"{n}", "priority": "low", **each}) for n, each in enumerate(fields)]


def titles(operations, sort):
    return [row["title"] for row in operations.get("/operations/work-orders", {"sort": sort}).json()["items"]]


def test_orders_sort_by_what_priority_and_status_mean(operations):
    make_orders(
        {"priority": "normal", "status": "done"},
        {"priority": "urgent", "status": "cancelled"},
        {"priority": "low", "status": "in_progress"},
        {"priority": "high", "status": "open"},
    )
    assert titles(operations, "-priority") == ["1", "3", "0", "2"]
    assert titles(operations, "status") == ["3", "2", "0", "1"]


def test_the_rank_follows_a_change(operations):
    orders = make_orders({"priority": "normal"}, {"priority": "low"})
    operations.patch(f"/operations/work-orders/{orders[1].id}", {"priority": "urgent", "status": "done"})
    assert titles(operations, "-priority") == ["1", "0"]
    assert titles(operations, "-status") == ["1", "0"]


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


def test_orders_are_filtered_by_assignee_and_by_when_they_are_due(operations):
    make_orders(
        {"assignee": "Ayşe", "due_at": "2026-03-01T00:00:00Z"},
        {"assignee": "Ole", "due_at": "2026-03-02T00:00:00Z"},
        {"assignee": "Ole, Jr."},
    )

    def found(**query):
        return {row["title"] for row in operations.get("/operations/work-orders", query).json()["items"]}

    assert found(assignee="Ayşe,Ole") == {"0", "1"}
    assert found(assignee="Ole\\, Jr.") == {"2"}
    assert found(dueAtTo="2026-03-02T00:00:00Z") == {"0"}
    assert found(dueAtFrom="2026-03-02T01:00:00+01:00") == {"1"}


def test_stations_are_chosen_from_without_the_energy_platform(operations, sign_in, problem, station):
    row = operations.get("/operations/stations?q=oslo&sort=name").json()["items"][0]
    assert row.pop("createdAt")
    assert row == {"id": station.id, "name": "Oslo Sentrum", "city": "Oslo"}
    assert operations.get(f"/operations/stations/{station.id}").json().items() >= row.items()
    assert problem(operations.get("/energy/stations"), 403)
    assert problem(sign_in("ENERGY_APP").get("/operations/stations"), 403)
