"""The energy overview: what needs somebody now, the figures of a period, and the part that updates itself."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from portal.testing import Backend, SignedIn

STATE: dict[str, Any] = {
    "chargersByStatus": {"available": 3, "faulted": 1},
    "metersByStatus": {"online": 5, "offline": 2},
    "faultedChargers": [{"id": "chg_1", "name": "Oslo 1", "stationName": "Oslo"}],
}
SUMMARY: dict[str, Any] = {
    "counts": {"clients": 7},
    "currency": "EUR",
    "period": {"start": "2026-01-01T00:00:00Z", "end": "2026-01-03T00:00:00Z", "timeZone": "UTC", "step": "day"},
    "current": {"energyKwh": 1120.0, "sessions": 88, "revenue": "10.00"},
    "before": {"energyKwh": 1000.0, "sessions": 100, "revenue": "0.00"},
    "series": [
        {"start": "2026-01-01", "energyKwh": 1000.0, "isCut": False, "isUnderWay": False},
        {"start": "2026-01-02", "energyKwh": 120.0, "isCut": False, "isUnderWay": True},
    ],
}
HTMX = {"HX-Request": "true"}


@pytest.fixture
def energy_user(backend: Backend, signed_in: SignedIn) -> Client:
    backend.answers("GET", "/energy/summary", json=SUMMARY)
    backend.answers("GET", "/energy/state", json=STATE)
    return signed_in("ENERGY_APP")


def shown(browser: Client, path: str, **headers: str) -> str:
    """The text of the page's content."""
    page = browser.get(path, headers=headers).content.decode()
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.partition("<main")[2] or page)).split())


def test_what_needs_somebody_is_counted_and_leads_to_its_rows(energy_user: Client) -> None:
    page = energy_user.get("/en/energy").content.decode()
    assert 'href="/en/energy/chargers?status=faulted"' in page
    assert '<a href="/en/energy/chargers/chg_1">Oslo 1</a>' in page
    text = shown(energy_user, "/en/energy")
    assert "1 faulted charger Oslo 1" in text
    assert "2 offline meters" in text


@pytest.mark.parametrize("status", [404, 501])
def test_nothing_leads_to_a_list_that_the_backend_does_not_have(
    backend: Backend, energy_user: Client, status: int
) -> None:
    assert 'href="/en/energy/chargers' in energy_user.get("/en/energy").content.decode().partition("<main")[2]
    backend.refuses("GET", "/energy/chargers", status=status)
    assert energy_user.get("/en/energy/chargers").status_code == 404
    page = energy_user.get("/en/energy").content.decode()
    assert not re.findall('href="/en/energy/chargers[?"]', page)
    assert 'href="/en/energy/meters?status=offline"' in page
    assert "1 faulted charger" in shown(energy_user, "/en/energy")


def test_where_nothing_needs_anybody_all_is_well(backend: Backend, energy_user: Client) -> None:
    quiet = {"chargersByStatus": {"available": 3, "faulted": 0}, "metersByStatus": {"offline": 0}}
    backend.answers("GET", "/energy/state", json=quiet)
    assert "All is well" in shown(energy_user, "/en/energy")


def test_the_figures_of_the_period_are_compared_and_the_day_that_goes_on_says_so(energy_user: Client) -> None:
    text = shown(energy_user, "/en/energy")
    assert "Energy 1,120 kWh ▲ 12% more" in text
    assert "Charging sessions 88 ▼ 12% less" in text
    assert "Revenue €10 no comparison" in text
    assert "Jan 2, 2026 (day not over yet) 120 kWh" in text


def test_the_summary_is_asked_for_the_days_of_the_address(backend: Backend, energy_user: Client) -> None:
    energy_user.get("/en/energy?from=2026-01-01&to=2026-01-02")
    (call,) = backend.calls_to("/energy/summary")
    assert call.query == {"from": "2026-01-01T00:00:00Z", "to": "2026-01-03T00:00:00Z", "timeZone": "UTC"}


def test_the_part_that_updates_itself_is_asked_for_alone_and_all_tabs_share_its_answer(
    backend: Backend, energy_user: Client
) -> None:
    energy_user.get("/en/energy")
    for _tab in range(5):
        part = energy_user.get("/en/energy/now", headers=HTMX).content.decode()
        assert "<html" not in part
        assert "Oslo 1" in part
    assert len(backend.calls_to("/energy/state")) == 1
    assert len(backend.calls_to("/energy/summary")) == 1


def test_who_opens_the_part_as_a_page_gets_the_overview(energy_user: Client) -> None:
    response = energy_user.get("/en/energy/now")
    assert (response.status_code, response["Location"]) == (302, "/en/energy")


@pytest.mark.parametrize("fault", [404, 503])
def test_a_part_without_an_answer_is_no_page_without_an_error(
    backend: Backend, energy_user: Client, fault: int
) -> None:
    backend.fails(fault, path="/energy/state")
    assert energy_user.get("/en/energy/now", headers=HTMX).status_code == fault
    page = energy_user.get("/en/energy")
    assert page.status_code == 200
    assert "data-live" not in page.content.decode(), "what has no state of its own does not update itself"


def test_each_figure_leads_to_the_sessions_of_which_it_is_made(energy_user: Client) -> None:
    page = energy_user.get("/en/energy?from=2026-01-01&to=2026-01-02").content.decode()
    tiles = re.findall(r'<a class="figure" href="([^"]+)">.*?figure-name">([^<]+)<', page, flags=re.DOTALL)
    sessions = "/en/energy/sessions?startedAtFrom=2026-01-01&amp;startedAtTo=2026-01-02"
    assert tiles[:3] == [(sessions, "Energy"), (sessions, "Charging sessions"), (sessions, "Revenue")]


@pytest.mark.parametrize(
    ("path", "lost", "left"),
    [
        ("/energy/summary", "Figures This could not be loaded.", "1 faulted charger Oslo 1"),
        ("/energy/state", "What needs you now This could not be loaded.", "Charging sessions 88"),
    ],
)
def test_what_can_t_be_loaded_says_so_beside_what_can(
    backend: Backend, energy_user: Client, path: str, lost: str, left: str
) -> None:
    backend.fails(503, path=path)
    assert energy_user.get("/en/energy").status_code == 200
    text = shown(energy_user, "/en/energy")
    assert left in text
    assert lost in text
    assert text.count("This could not be loaded.") == 1
    assert "All is well" not in text
