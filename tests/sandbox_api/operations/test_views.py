from datetime import timedelta

import pytest
from django.utils import timezone
from rows import make_charger, make_station

from sandbox_api.operations.models import WorkOrder


@pytest.fixture
def operations(sign_in):
    return sign_in("OPERATIONS_APP")


@pytest.fixture
def station(db):
    return make_station(name="Oslo Sentrum", city="Oslo", country="NO")


@pytest.fixture
def order(station):
    return WorkOrder.objects.create(title="Replace the cable", station=station, priority="high")


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("title", ["", "x" * 201, "a\nb", None]),
        ("priority", ["soon", "", None, ["high"]]),
        ("stationId", ["sta_unknown", "x" * 100, {"id": 1}, "\0"]),
        ("chargerId", ["chg_unknown", 7]),
        ("assigneeId", ["acc_unknown", "none"]),
        ("description", ["x" * 2001, "a\0b", ["a"]]),
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


@pytest.fixture
def charger(station):
    return make_charger(name="Oslo #1", station=station, status="faulted")


def test_who_may_open_the_platform_are_the_people_to_choose_from(operations, make_account, energy):
    rosa = make_account("OPERATIONS_APP", name="Rosa Hübner", email="rosa@example.net")
    make_account("OPERATIONS_APP_TRAINEE", name="Rosa Other")
    [found] = operations.get("/operations/people", {"q": "rosa hubner"}).json()["items"]
    assert {name: found[name] for name in found if name != "createdAt"} == {
        "id": rosa.id,
        "name": "Rosa Hübner",
        "email": "rosa@example.net",
    }
    assert operations.get("/operations/people").json()["total"] == 2
    assert operations.get(f"/operations/people/{rosa.id}").json()["name"] == "Rosa Hübner"
    assert operations.get(f"/operations/people/{energy.account.id}").status_code == 404
    assert energy.get("/operations/people").status_code == 403


def test_an_assignee_is_a_person_or_a_text_and_both_stay_together(operations, make_account, order):
    rosa = make_account("OPERATIONS_APP", name="Rosa")
    path = f"/operations/work-orders/{order.id}"

    def assigned(**body):
        row = operations.patch(path, body).json()
        return row["assignee"], row["assigneeId"]

    assert assigned(assigneeId=rosa.id) == ("Rosa", rosa.id)
    assert assigned(assignee="Somebody") == ("Somebody", None)
    assert assigned(assignee="Rosa") == ("Rosa", rosa.id), "the name of exactly one person"
    rosa.name = "Rosa Maria"
    rosa.save()
    assert operations.get(path).json()["assignee"] == "Rosa Maria"
    assert assigned(assigneeId=None) == (None, None)
    make_account("OPERATIONS_APP", name="Rosa Maria")
    assert assigned(assignee="Rosa Maria") == ("Rosa Maria", None), "two have this name"


def test_orders_are_found_and_counted_by_person_and_by_nobody(operations, make_account, charger):
    rosa, ole = (make_account("OPERATIONS_APP", name=name) for name in ("Rosa", "Ole"))
    make_orders({"person": rosa}, {"person": ole}, {"assignee": "Somebody"}, {"charger": charger})

    def found(**query):
        return {row["title"] for row in operations.get("/operations/work-orders", query).json()["items"]}

    assert found(assigneeId=rosa.id) == {"0"}
    assert found(assigneeId="none") == {"2", "3"}
    assert found(assigneeId=f"none,{ole.id}") == {"1", "2", "3"}
    assert found(chargerId=charger.id) == {"3"}
    assert found(chargerId="none") == set(), "a word of that filter alone"
    counts = operations.get("/operations/work-orders/counts", {"by": "assigneeId"}).json()
    assert counts == {"assigneeId": {rosa.id: 1, ole.id: 1, "none": 2}}


def test_a_charger_brings_its_station_and_is_at_no_other(operations, charger, problem, order):
    body = {"title": "Look", "priority": "high", "chargerId": charger.id, "description": "One\r\ntwo"}
    row = operations.post("/operations/work-orders", {**body, "stationId": None}).json()
    assert (row["stationId"], row["chargerName"], row["description"]) == (charger.station_id, "Oslo #1", "One\ntwo")
    path = f"/operations/work-orders/{row['id']}"
    other = make_station(name="Graz")
    assert problem(operations.post("/operations/work-orders", {**body, "stationId": other.id}), 422, "chargerId")
    assert problem(operations.patch(path, {"stationId": other.id}), 422, "chargerId")
    moved = operations.patch(path, {"stationId": other.id, "chargerId": None}).json()
    assert (moved["stationId"], moved["chargerId"], moved["description"]) == (other.id, None, "One\ntwo")


def test_who_has_energy_alone_reports_a_fault_once_and_sees_what_is_in_hand(energy, operations, charger, problem):
    path = f"/energy/chargers/{charger.id}/work-orders"
    body = {"title": "Fault", "priority": "high", "description": "It hums."}
    answers = [energy.post(path, body, headers={"Idempotency-Key": "k1"}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    [row] = energy.get(path).json()["items"]
    assert row == answers[0].json() == answers[1].json()
    assert row.keys() == {"id", "title", "status", "priority", "assignee", "description", "createdAt"}
    order = operations.get(f"/operations/work-orders/{row['id']}").json()
    assert (order["stationId"], order["description"]) == (charger.station_id, "It hums.")
    assert problem(energy.post(path, {"title": "", "priority": "x"}), 422, "title", "priority")
    assert operations.get(path).status_code == 403
    for call in (energy.get, lambda path: energy.post(path, body)):
        assert call("/energy/chargers/chg_unknown/work-orders").status_code == 404
