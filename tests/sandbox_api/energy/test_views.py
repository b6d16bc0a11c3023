import pytest
from rows import make_charger, make_session, make_station

from sandbox_api.energy.models import Client, Meter


@pytest.fixture
def client_row():
    return Client.objects.create(name="Ada", email="ada@example.com", phone="+49 30 901820", city="Berlin")


def test_created_client_is_answered_whole(energy):
    body = {"name": " Şule ", "email": "s@example.com", "phone": "+90 212 555", "city": "İzmir"}
    answer = energy.post("/energy/clients", body | {"id": "cli_mine", "createdAt": "2000", "admin": True})
    row = answer.json()
    assert answer.status_code == 201
    own = {"id": row["id"], "createdAt": row["createdAt"]}
    assert row == body | {"name": "Şule", "version": 1} | own
    assert row["id"] != "cli_mine"
    assert row["createdAt"].endswith("Z")
    assert energy.get(f"/energy/clients/{row['id']}").json() == row
    assert energy.get("/energy/clients").json()["items"] == [row]


def test_change_with_a_wrong_field_changes_nothing(energy, problem, client_row):
    path = f"/energy/clients/{client_row.id}"
    row = energy.patch(path, {"name": "Øystein", "phone": None, "id": "x"}).json()
    assert row == {**row, "id": client_row.id, "name": "Øystein", "phone": None, "city": "Berlin"}
    assert problem(energy.patch(path, {"city": "Ulm", "email": "x", "name": ""}), 422, "email", "name")
    for wrong in ({"email": "a@b"}, {"email": f"{'x' * 250}@example.com"}, {"phone": "call me"}, {"city": "a\x07"}):
        assert problem(energy.patch(path, wrong), 422, *wrong), wrong
    assert energy.get(path).json() == row
    assert energy.get("/energy/clients?q=oystein").json()["total"] == 1, "it is found by the new name"


def test_a_station_is_as_well_as_the_worst_of_its_chargers_and_meters(energy, grid):
    station = grid["stations"]
    others = [make_station(name=name, city="Łódź") for name in ("Aye", "Bee")]
    for status in ("faulted", "faulted", "available"):
        make_charger(station=station, status=status)
    Meter.objects.create(serial="off", station=station, status="offline")
    Meter.objects.create(serial="off too", station=others[0], status="offline")
    rows = {row["name"]: row for row in energy.get("/energy/stations?sort=name").json()["items"]}
    figures = [(row["health"], row["faultedChargers"], row["offlineMeters"]) for row in rows.values()]
    assert figures == [("offline", 0, 1), ("ok", 0, 0), ("fault", 2, 1)]
    assert rows["Łódź Rynek"]["chargerCount"] == 4
    assert energy.get(f"/energy/stations/{station.id}").json() == rows["Łódź Rynek"]
    found = energy.get("/energy/stations?health=ok,offline&sort=name").json()
    assert ([row["name"] for row in found["items"]], found["total"]) == (["Aye", "Bee"], 2)
    counts = energy.get("/energy/stations/counts?by=health,city&health=fault").json()
    assert counts == {"health": {"ok": 1, "offline": 1, "fault": 1}, "city": {"Łódź": 1}}
    positions = energy.get("/energy/stations/positions").json()["stations"]
    assert [(each["name"], each["health"]) for each in positions] == [
        ("Aye", "offline"),
        ("Bee", "ok"),
        ("Łódź Rynek", "fault"),
    ]
    assert set(positions[0]) == {"id", "name", "city", "latitude", "longitude", "status", "health"}


def test_a_page_costs_the_same_queries_whatever_its_size(energy, grid, django_assert_num_queries):
    for number in range(5):
        make_session(grid["chargers"], reference=f"CS-{number}")
    with django_assert_num_queries(3):  # the caller, the page, the total
        assert len(energy.get("/energy/sessions").json()["items"]) == 6
