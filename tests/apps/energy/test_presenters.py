"""From records to what the templates show: whole ones, and ones with nothing but an id."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.utils import translation

from apps.energy.presenters.chargers import present_charger
from apps.energy.presenters.clients import present_client
from apps.energy.presenters.meters import present_consumption, present_meter
from apps.energy.presenters.overview import present_overview
from apps.energy.presenters.sessions import present_session
from apps.energy.presenters.stations import present_station

PRESENTERS = [present_client, present_station, present_charger, present_session, present_meter]


@pytest.mark.parametrize("present", PRESENTERS)
@pytest.mark.parametrize(
    "record", [{"id": "x1"}, {"id": "x1", "name": None, "status": 5, "createdAt": [], "cost": {}, "email": False}]
)
def test_a_record_with_nothing_but_an_id_can_be_shown(present: Callable[..., Any], record: dict[str, Any]) -> None:
    assert present(record).id == "x1"


def test_a_client_without_a_name_is_called_by_its_id() -> None:
    assert present_client({"id": "cli_1"}).title == "cli_1"
    assert present_client({"id": "cli_1", "name": "Ada"}).title == "Ada"


def test_a_station_shows_its_place_and_position() -> None:
    station = present_station(
        {"id": "s", "city": "Oslo", "country": "NO", "latitude": 59.9, "longitude": 10.75, "status": "maintenance"}
    )
    assert (station.place, station.position) == ("Oslo, NO", "59.90000, 10.75000")
    assert (station.status.label, station.status.tone) == ("Maintenance", "warn")


def test_a_status_that_nobody_told_us_about_shows_its_own_word() -> None:
    assert present_charger({"id": "c", "status": "warming up"}).status.label == "warming up"


def test_a_session_shows_amounts_exactly() -> None:
    session = present_session({"id": "s", "cost": "12.30", "energyKwh": 41.5, "startedAt": "2026-03-01T10:00:00Z"})
    assert (session.cost, session.energy_kwh) == (Decimal("12.30"), 41.5)
    assert session.started_at == datetime(2026, 3, 1, 10, tzinfo=UTC)


def test_consumption_is_what_lies_between_two_readings_and_never_negative() -> None:
    readings = [
        {"readAt": f"2026-03-0{day}T00:00:00Z", "energyKwh": counted}
        for day, counted in ((1, 100.0), (2, 112.5), (3, 110.0), (4, 120.0))
    ]
    chart = present_consumption({"readings": [*readings, {"readAt": "nonsense"}, 5]})
    assert chart is not None
    assert [bar.value for bar in chart.bars] == ["12.5 kWh", "0.0 kWh", "10.0 kWh"]


SUMMARY = {
    "counts": {"clients": 2400, "stations": 160, "chargers": 640, "sessions": 21000, "meters": 400},
    "chargersByStatus": {"available": 3, "faulted": 1, "odd": 2},
    "energyByMonth": [{"month": "2026-01", "energyKwh": 1500.0, "sessions": 9}],
    "sessionsByHour": [{"hour": hour, "sessions": hour} for hour in range(24)],
}


def test_the_overview_shows_the_summary() -> None:
    with translation.override("de"):
        overview = present_overview(SUMMARY, totals={})
    assert [tile.value for tile in overview.tiles] == ["2.400", "160", "640", "21.000", "400"]
    assert overview.energy is not None
    assert overview.energy.bars[0].value == "1,5 MWh"
    assert overview.hours is not None
    assert len(overview.hours.bars) == 24
    assert overview.chargers is not None
    assert [str(part.label) for part in overview.chargers.parts] == ["Available", "Faulted", "odd"]


def test_without_a_summary_the_lists_totals_are_shown_and_no_chart_is_made_up() -> None:
    overview = present_overview({}, totals={"clients": 7, "stations": None})
    assert [tile.value for tile in overview.tiles] == ["7", "–", "–", "–", "–"]
    assert (overview.energy, overview.hours, overview.chargers) == (None, None, None)


@pytest.mark.parametrize(
    "odd", [{"counts": 5}, {"chargersByStatus": []}, {"energyByMonth": {}}, {"sessionsByHour": [{}]}]
)
def test_a_summary_of_an_odd_shape_can_be_shown(odd: dict[str, Any]) -> None:
    assert len(present_overview(odd, totals={}).tiles) == 5
