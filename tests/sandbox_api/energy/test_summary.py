from datetime import UTC, date, datetime

import pytest
from rows import NOON as NOW
from rows import make_charger, make_session, make_station

from sandbox_api.energy.models import Charger
from sandbox_api.energy.summary import summarise_energy
from sandbox_api.operations.models import WorkOrder
from sandbox_api.periods import read_period


@pytest.fixture
def charger(db):
    return make_charger()


def charge(charger, started_at, energy_kwh):
    make_session(charger, started_at=started_at, energy_kwh=energy_kwh)


MARCH = {"from": "2026-02-28T23:00:00Z", "to": "2026-03-31T22:00:00Z", "timeZone": "Europe/Berlin"}


def test_a_period_has_figures_the_ones_before_and_a_series_of_local_days(charger):
    charge(charger, datetime(2026, 2, 28, 23, tzinfo=UTC), 10.5)  # the 1st of March in Berlin
    charge(charger, datetime(2026, 3, 15, 11, tzinfo=UTC), 2)
    charge(charger, datetime(2026, 2, 10, tzinfo=UTC), 5)
    charge(charger, datetime(2026, 2, 28, tzinfo=UTC), 99)  # later in February than it is now in March
    summary = summarise_energy(now=NOW, period=read_period(query=MARCH, now=NOW))
    assert summary["current"] == {"energyKwh": 12.5, "sessions": 2, "revenue": "2.00"}
    assert summary["before"] == {"energyKwh": 5.0, "sessions": 1, "revenue": "1.00"}
    assert len(summary["series"]) == 31
    assert summary["series"][0] == {
        "start": date(2026, 3, 1),
        "energyKwh": 10.5,
        "sessions": 1,
        "revenue": "1.00",
        "isUnderWay": False,
        "isCut": False,
    }
    assert [point["start"].day for point in summary["series"] if point["isUnderWay"]] == [15]
    # The period before begins on the 29th of January: each of its days stands beside the one it is compared with.
    energies = {point["start"]: point["energyKwh"] for point in summary["seriesBefore"]}
    assert list(energies) == [point["start"] for point in summary["series"]]
    assert {start: energy for start, energy in energies.items() if energy} == {date(2026, 3, 13): 5.0}


def test_hours_are_those_of_the_clocks_at_the_station(charger):
    there = make_charger(station=make_station(country="TR"))
    for where in (charger, there):
        charge(where, datetime(2026, 3, 10, 6, 30, tzinfo=UTC), 1)
    hours = summarise_energy(now=NOW, period=read_period(query=MARCH, now=NOW))["sessionsByLocalHour"]
    assert [hour for hour in hours if hour["sessions"]] == [{"hour": 7, "sessions": 1}, {"hour": 9, "sessions": 1}]


def test_the_state_names_faulted_chargers_those_without_an_order_first(energy, charger):
    for number in range(7):
        make_charger(name=f"F{number}", station=charger.station, status="faulted")
    first, second, third, fourth = Charger.objects.filter(status="faulted").order_by("name")[:4]
    started = ((first, "in_progress"), (third, "open"), (fourth, "open"))
    for where, status in ((first, "open"), (first, "done"), (second, "cancelled"), *started):
        WorkOrder.objects.create(title="Look", priority="low", charger=where, status=status)
    summary = energy.get("/energy/summary").json()
    assert summary["counts"] == {"clients": 0, "stations": 1, "chargers": 8, "sessions": 0, "meters": 0}
    state = energy.get("/energy/state").json()
    assert state["chargersByStatus"]["faulted"] == 7
    assert state["metersByStatus"] == {"online": 0, "offline": 0}
    assert [row["name"] for row in state["faultedChargers"]] == ["F1", "F4", "F5", "F6", "F2"]
    assert state["faultedChargers"][0]["stationName"] == "S"
    assert [row["openOrders"] for row in state["faultedChargers"]] == [0, 0, 0, 0, 1]
    assert state["faultedWithoutOrder"] == 4
