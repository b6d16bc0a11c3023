"""How rows are shown: whole ones, and ones with nothing but an id."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from apps.energy.views.meters import consumption_chart
from apps.energy.views.overview import ENERGY
from portal.services.energy.meters import MeterReading
from portal.services.energy.summary import EnergyMonth, EnergySummary
from portal.testing import Backend, SignedIn, UseLocale


@pytest.fixture
def energy_user(backend: Backend, signed_in: SignedIn) -> Client:
    backend.refuses("GET", "/energy/state", status=404)
    return signed_in("ENERGY_APP")


def detail_of(backend: Backend, browser: Client, resource: str, **row: Any) -> str:
    """The text of the page of a row."""
    backend.answers("GET", f"/energy/{resource}/x1", json={"id": "x1", **row})
    page = browser.get(f"/en/energy/{resource}/x1").content.decode()
    return " ".join(re.sub(r"<[^>]+>", " ", page.partition("<main")[2]).split())


@pytest.mark.parametrize(
    ("resource", "field"), [("clients", "name"), ("stations", "name"), ("sessions", "reference"), ("meters", "serial")]
)
def test_a_row_without_a_name_is_called_by_its_id(
    backend: Backend, energy_user: Client, resource: str, field: str
) -> None:
    backend.lists(f"/energy/{resource}", [{"id": "x1", field: ""}, {"id": "x2", field: "Ada"}, {"id": 7}])
    heading = re.compile(r"<h1>(.*?)</h1>")
    shown = [heading.findall(energy_user.get(f"/en/energy/{resource}/{row}").content.decode()) for row in ("x1", "x2")]
    assert shown == [["x1"], ["Ada"]]


def test_a_number_as_an_id_is_shown_and_linked(backend: Backend, energy_user: Client) -> None:
    backend.lists("/energy/clients", [{"id": 7, "name": 8}])
    page = energy_user.get("/en/energy/clients").content.decode()
    assert 'data-row-id="7"' in page
    assert '<a href="/en/energy/clients/7">8</a>' in page


STARTED = "2026-03-01T10:00:00Z"


@pytest.mark.parametrize(
    ("resource", "row", "shown"),
    [
        ("stations", {"city": "Oslo", "country": "NO", "latitude": 59.9, "longitude": 10.75}, "City Oslo, NO"),
        ("stations", {"latitude": 59.9, "longitude": 10.75}, "Position 59.90000, 10.75000"),
        ("stations", {"latitude": 59.9}, "Position –"),
        ("stations", {"status": "maintenance"}, "Maintenance"),
        ("chargers", {"status": "warming up"}, "warming up"),
        (
            "sessions",
            {"cost": "12.30", "energyKwh": 41.5, "startedAt": STARTED, "currency": "EUR"},
            "Started Mar 1, 2026, 10:00 UTC Ended – Energy 41.5 kWh Cost €12.30 Charger",
        ),
        ("sessions", {"cost": "12.30", "currency": None}, "Cost 12.30 Charger"),
        ("sessions", {"clientId": None, "clientName": None}, "Client –"),
    ],
)
def test_the_page_of_a_row_shows_its_values_and_a_dash_for_what_it_lacks(
    backend: Backend, energy_user: Client, resource: str, row: dict[str, Any], shown: str
) -> None:
    page = detail_of(backend, energy_user, resource, **row)
    assert shown in page
    assert "deleted" not in page


def test_consumption_is_what_lies_between_two_readings_and_never_negative() -> None:
    readings = [
        MeterReading(read_at=datetime(2026, 3, day, tzinfo=UTC), energy_kwh=counted)
        for day, counted in ((1, 100.0), (2, 112.5), (3, 110.0), (4, 120.0))
    ]
    chart = consumption_chart([*readings, MeterReading(energy_kwh=5.0), MeterReading()])
    assert chart is not None
    assert [bar.value for bar in chart.bars] == [f"{text}\N{NO-BREAK SPACE}kWh" for text in ("12.5", "0.0", "10.0")]


def test_the_charts_show_the_summary_in_the_page_s_language(use_locale: UseLocale) -> None:
    use_locale("de")
    months = (EnergyMonth(month="2026-01", energy_kwh=150_000.0), EnergyMonth())
    energy = ENERGY.chart(EnergySummary(), months=months)
    assert energy is not None
    assert [bar.value for bar in energy.bars] == ["150,0\N{NO-BREAK SPACE}MWh", "0,0\N{NO-BREAK SPACE}MWh"]
    assert ENERGY.chart(EnergySummary()) is None


SUMMARY = {
    "counts": {"clients": 2400, "stations": 160, "chargers": 640, "sessions": 21000, "meters": 400},
    "chargersByStatus": {"available": 3, "faulted": 1, "odd": 2},
}


def figures(page: str) -> list[str]:
    return re.findall(r'<span class="figure-value">(.*?)</span>', page)


def test_the_overview_shows_the_summary(backend: Backend, energy_user: Client) -> None:
    backend.answers("GET", "/energy/summary", json=SUMMARY)
    page = energy_user.get("/de/energy").content.decode()
    legend = page[page.index('<ul class="legend"') :]
    assert figures(page) == ["2.400", "160", "640", "21.000", "400"]
    assert all(word in legend for word in ("Frei", "Gestört", "odd"))
