"""The energy overview: what needs somebody now, the figures of a period, and the part that updates itself."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from portal.testing import Backend
from tests.support.offers import offered

PAGE, NOW, DAYS = "/en/energy", "/en/energy/now", "/en/energy?from=2026-01-01&to=2026-01-02"
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
    "seriesBefore": [{"start": "2025-12-30", "energyKwh": 900.0}, {"start": "2025-12-31", "energyKwh": 100.0}],
}
HTMX = {"HX-Request": "true"}


@pytest.fixture
def energy_user(backend: Backend, browser: Client) -> Client:
    backend.answers("GET", "/energy/summary", json=SUMMARY)
    backend.answers("GET", "/energy/state", json=STATE)
    return browser


def html_of(browser: Client, path: str = PAGE, **headers: str) -> str:
    response = browser.get(path, headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def text_of(html: str) -> str:
    """The text of the page's content."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html.partition("<main")[2] or html)).split())


def test_the_introduction_is_there_until_it_was_read_in_this_browser(energy_user: Client) -> None:
    assert "Here are your clients" in html_of(energy_user)
    read = energy_user.post("/en/help")
    assert (read.status_code, read["Location"]) == (303, PAGE)
    cookie = read.cookies["introduced_energy"]
    assert (cookie["max-age"], cookie["httponly"], cookie["domain"]) == (365 * 24 * 60 * 60, True, "")
    assert "Here are your clients" not in html_of(energy_user)


def test_what_needs_somebody_is_counted_and_leads_to_its_rows_and_the_figures_are_compared(energy_user: Client) -> None:
    page = html_of(energy_user)
    for html in ('href="/en/energy/chargers?status=faulted"', '<a href="/en/energy/chargers/chg_1">Oslo 1</a>'):
        assert html in page
    for text in (
        "1 faulted charger Oslo 1",
        "2 offline meters",
        "Energy 1,120 kWh ▲ 12% more than 1,000 kWh",
        "Charging sessions 88 ▼ 12% less than 100",
        "Revenue €10 no comparison",
        "1,120 kWh in all",
        "Jan 2, 2026: 120 kWh (day not over yet), 100 kWh before",
        "Jan 2, 2026 (day not over yet) 120 kWh 100 kWh",
    ):
        assert text in text_of(page)
    assert "Clients 7" not in text_of(page), "how many rows there are is no figure of a period"


def test_chargers_without_an_order_are_named_before_those_in_hand(backend: Backend, energy_user: Client) -> None:
    chargers = [{"id": name, "name": name, "openOrders": orders} for name, orders in (("Bonn", 2), ("Oslo", 0))]
    state = STATE | {"chargersByStatus": {"faulted": 37}, "faultedChargers": chargers, "faultedWithoutOrder": 18}
    backend.answers("GET", "/energy/state", json=state)
    assert "37 faulted chargers, 18 without an order Oslo Bonn in hand" in text_of(html_of(energy_user))


def test_no_link_leads_to_an_absent_list(backend: Backend, energy_user: Client) -> None:
    assert 'href="/en/energy/chargers' in html_of(energy_user).partition("<main")[2]
    with offered("energy.get_summary", "energy.get_state", "energy.get_meters", "energy.get_meters?status"):
        assert energy_user.get("/en/energy/chargers").status_code == 404
        page = html_of(energy_user)
    assert not re.findall('href="/en/energy/chargers[/?"]', page)
    assert 'href="/en/energy/meters?status=offline"' in page
    assert "1 faulted charger" in text_of(page)


def test_where_nothing_needs_anybody_all_is_well(backend: Backend, energy_user: Client) -> None:
    quiet = {"chargersByStatus": {"available": 3, "faulted": 0}, "metersByStatus": {"offline": 0}}
    backend.answers("GET", "/energy/state", json=quiet)
    assert "All is well" in text_of(html_of(energy_user))


def test_summary_is_of_the_days_in_the_address(backend: Backend, energy_user: Client) -> None:
    page = html_of(energy_user, DAYS)
    (call,) = backend.calls_to("/energy/summary")
    assert call.query == {"from": "2026-01-01T00:00:00Z", "to": "2026-01-03T00:00:00Z", "timeZone": "UTC"}
    tiles = re.findall(r'<a class="figure" href="([^"]+)">.*?figure-name">([^<]+)<', page, flags=re.DOTALL)
    sessions = "/en/energy/sessions?startedAtFrom=2026-01-01&amp;startedAtTo=2026-01-02"
    assert tiles[:3] == [(sessions, name) for name in ("Energy", "Charging sessions", "Revenue")]


def test_days_that_are_none_are_said_at_both_fields_of_the_period(energy_user: Client) -> None:
    page = html_of(energy_user, f"{PAGE}?from=2026-01-02&to=2026-01-01")
    assert page.count('aria-invalid="true" aria-describedby="period-error"') == 2
    assert re.search(r'id="period-error" role="alert">[A-Z].+</p>', page)


def test_live_part_is_shared_by_all_tabs(backend: Backend, energy_user: Client) -> None:
    html_of(energy_user)
    for _tab in range(5):
        part = html_of(energy_user, NOW, **HTMX)
        assert ("<html" in part, "Oslo 1" in part) == (False, True)
    assert [len(backend.calls_to(f"/energy/{name}")) for name in ("state", "summary")] == [1, 1]
    # Who opens the part as a page gets the overview.
    response = energy_user.get(NOW)
    assert (response.status_code, response["Location"]) == (302, PAGE)


@pytest.mark.parametrize("fault", [404, 503])
def test_unanswered_part_is_an_error(backend: Backend, energy_user: Client, fault: int) -> None:
    backend.fails(fault, path="/energy/state")
    assert energy_user.get(NOW, headers=HTMX).status_code == fault
    assert "data-live" not in html_of(energy_user), "what has no state of its own does not update itself"


@pytest.mark.parametrize(
    ("path", "lost", "left"),
    [
        ("/energy/summary", "Figures This could not be loaded.", "1 faulted charger Oslo 1"),
        ("/energy/state", "What needs you now This could not be loaded.", "Charging sessions 88"),
    ],
)
def test_unloaded_part_says_so(backend: Backend, energy_user: Client, path: str, lost: str, left: str) -> None:
    backend.fails(503, path=path)
    text = text_of(html_of(energy_user))
    assert [left in text, lost in text, "All is well" in text] == [True, True, False]
    assert text.count("This could not be loaded.") == 1
