from datetime import UTC, datetime, timedelta

import pytest

from sandbox_api.energy.models import Charger, ChargingSession, Station
from sandbox_api.energy.summary import summarise_energy

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)


@pytest.fixture
def charger(db):
    station = Station.objects.create(name="S", address="", city="", country="DE", latitude=0, longitude=0)
    return Charger.objects.create(name="C", station=station, model="M", connector="ccs", max_power_kw=50)


def charge(charger, started_at, energy_kwh):
    ChargingSession.objects.create(
        reference="R", charger=charger, started_at=started_at, energy_kwh=energy_kwh, cost=1, status="completed"
    )


@pytest.mark.django_db
def test_an_empty_database_has_twelve_months_and_twenty_four_hours():
    summary = summarise_energy(now=NOW)
    assert len(summary["energyByMonth"]) == 12
    assert all(month["energyKwh"] == 0 for month in summary["energyByMonth"])
    assert [hour["hour"] for hour in summary["sessionsByHour"]] == list(range(24))
    assert summary["chargersByStatus"] == {"available": 0, "charging": 0, "faulted": 0, "unavailable": 0}


def test_months_and_hours_are_those_of_utc(charger):
    charge(charger, datetime(2026, 3, 1, 0, tzinfo=UTC), 10.5)
    charge(charger, datetime(2026, 2, 28, 23, 59, tzinfo=UTC), 5.25)
    charge(charger, datetime(2025, 3, 31, tzinfo=UTC), 99)
    summary = summarise_energy(now=NOW)
    assert summary["energyByMonth"][-2:] == [
        {"month": "2026-02", "energyKwh": 5.25, "sessions": 1},
        {"month": "2026-03", "energyKwh": 10.5, "sessions": 1},
    ]
    assert sum(month["sessions"] for month in summary["energyByMonth"]) == 2
    assert summary["sessionsByHour"][0]["sessions"] == 1
    assert summary["sessionsByHour"][23]["sessions"] == 1
    assert summary["counts"]["sessions"] == 3


def test_only_the_last_thirty_days_count_by_hour(charger):
    charge(charger, NOW - timedelta(days=30, seconds=1), 1)
    assert sum(hour["sessions"] for hour in summarise_energy(now=NOW)["sessionsByHour"]) == 0


def test_it_is_served(energy, charger):
    summary = energy.get("/energy/summary").json()
    assert summary["counts"] == {"clients": 0, "stations": 1, "chargers": 1, "sessions": 0, "meters": 0}
    assert summary["chargersByStatus"]["available"] == 1
