"""Rows of the grid, of which a test says what matters to it."""

from datetime import UTC, datetime
from typing import Any

from sandbox_api.energy.models import Charger, ChargingSession, Station

#: Of the account that tests sign in with.
ADDRESS, PASSWORD = "me@example.com", "secret words"
NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)


def make_station(**fields: Any) -> Station:
    return Station.objects.create(**{"name": "S", "country": "DE", "latitude": 0, "longitude": 0, **fields})


def make_charger(**fields: Any) -> Charger:
    station = fields.pop("station", None) or make_station()
    values = {"name": "C", "model": "M", "connector": "ccs", "max_power_kw": 50, **fields}
    return Charger.objects.create(station=station, **values)


def make_session(charger: Charger, **fields: Any) -> ChargingSession:
    values = {"reference": "CS", "started_at": NOON, "energy_kwh": 1, "cost": 1, "status": "completed", **fields}
    return ChargingSession.objects.create(charger=charger, **values)
