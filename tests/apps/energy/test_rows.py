"""How rows are shown: whole ones, and ones with nothing but an id; and as of when a page is."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from apps.energy.views.meters import consumption_chart
from portal.services.energy.meters import MeterReading
from portal.testing import Backend, SignedIn, page_of, row_ids
from tests.support.offers import offered

CLIENTS, PAGE = "/energy/clients", "/en/energy/clients"


@pytest.fixture
def energy_user(backend: Backend, signed_in: SignedIn) -> Client:
    backend.refuses("GET", "/energy/state", status=404)
    for row_id in ("x1", "x2"):
        backend.refuses("GET", f"/energy/chargers/{row_id}/work-orders", status=404)
    return signed_in("ENERGY_APP")


@pytest.mark.parametrize(
    ("resource", "field"), [("clients", "name"), ("chargers", "name"), ("sessions", "reference"), ("meters", "serial")]
)
def test_rows_need_nothing_but_ids(backend: Backend, energy_user: Client, resource: str, field: str) -> None:
    backend.lists(f"/energy/{resource}", [{"id": "x1"}, {"id": "x2", field: "Ada"}, {"id": 7, field: 8}])
    page = energy_user.get(f"/de/energy/{resource}")
    assert row_ids(page) == ["x1", "x2", "7"]
    assert f'<a href="/de/energy/{resource}/7">8</a>' in page.content.decode() or resource != "clients"
    for row, name in (("x1", "x1"), ("x2", "Ada")):
        detail = energy_user.get(f"/de/energy/{resource}/{row}").content.decode()
        assert re.findall(r"<h1>(.*?)</h1>", detail) == [name]


STARTED = "2026-03-01T10:00:00Z"


@pytest.mark.parametrize(
    ("resource", "row", "shown"),
    [
        ("stations", {"city": "Oslo", "country": "NO", "latitude": 59.9, "longitude": 10.75}, "City Oslo, NO"),
        ("stations", {"latitude": 59.9}, "Position –"),
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
def test_row_page_shows_values_or_dashes(
    backend: Backend, energy_user: Client, resource: str, row: dict[str, Any], shown: str
) -> None:
    backend.answers("GET", f"/energy/{resource}/x1", json={"id": "x1", **row})
    page = energy_user.get(f"/en/energy/{resource}/x1").content.decode()
    text = " ".join(re.sub(r"<[^>]+>", " ", page.partition("<main")[2]).split())
    assert (shown in text, "deleted" in text) == (True, False)


def test_consumption_is_what_lies_between_two_readings_and_never_negative() -> None:
    readings = [
        MeterReading(read_at=datetime(2026, 3, day, tzinfo=UTC), energy_kwh=counted)
        for day, counted in ((1, 100.0), (2, 112.5), (3, 110.0), (4, 120.0))
    ]
    chart = consumption_chart([*readings, MeterReading(energy_kwh=5.0), MeterReading()])
    assert chart is not None
    assert [bar.value for bar in chart.bars] == [f"{text}\N{NO-BREAK SPACE}kWh" for text in ("12.5", "0.0", "10.0")]


def as_of(response: HttpResponse) -> datetime:
    (moment,) = re.findall(r'<time data-as-of datetime="([^"]+)"', response.content.decode())
    return datetime.fromisoformat(moment)


def test_the_overview_shows_the_summary_and_as_of_when_it_is(backend: Backend, energy_user: Client) -> None:
    counts = {"clients": 2400, "stations": 160, "chargers": 640, "sessions": 21000, "meters": 400}
    by_status = {"available": 3, "faulted": 1, "odd": 2}
    backend.answers("GET", "/energy/summary", json={"counts": counts, "chargersByStatus": by_status})
    before = datetime.now(UTC).replace(microsecond=0)
    response = energy_user.get("/de/energy")
    page = response.content.decode()
    assert re.findall(r'"figure-value">(.*?)</span>', page) == ["2.400", "160", "640", "21.000", "400"]
    legend = page[page.index('<ul class="legend"') :]
    assert [word for word in ("Frei", "Gestört", "odd") if word not in legend] == []
    assert before <= as_of(response) <= datetime.now(UTC)


@pytest.mark.parametrize("rows", [[], [{"id": "cli_1"}]])
def test_list_tells_its_age(backend: Backend, energy_user: Client, rows: list[dict[str, str]]) -> None:
    backend.lists(CLIENTS, rows)
    before = datetime.now(UTC).replace(microsecond=0)
    first = energy_user.get(PAGE)
    loaded = as_of(first)
    assert before <= loaded <= datetime.now(UTC)
    assert 'data-refresh href=""' in first.content.decode()
    assert as_of(energy_user.get(PAGE)) == loaded, "the same rows are as old as before"
    if not rows:
        return
    backend.fails("refused", path=CLIENTS)
    page = energy_user.get(PAGE, headers={"cache-control": "no-cache"})
    assert (row_ids(page), as_of(page)) == (["cli_1"], loaded)
    # The same words for a service that is only slower than a page waits for news: they claim no outage.
    told = f'loaded at <time datetime="{loaded.isoformat()}" data-local="clock">{loaded:%H:%M} UTC</time>'
    assert f"There is no newer answer from the service yet. What you see was {told}" in page.content.decode()


def test_each_call_behind_a_page_carries_its_request_s_id(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(CLIENTS, [{"id": "cli_1"}])
    browser = signed_in("ENERGY_APP", expired=True)
    assert browser.get(f"{PAGE}?menu=city", headers={"x-request-id": "the-page"}).status_code == 200
    assert browser.post("/en/logout", headers={"x-request-id": "the-sign-out"}).status_code == 303
    of_the_page = ("/refresh", "/me", CLIENTS, f"{CLIENTS}/counts")
    named = {call.path: call.headers.get("x-request-id") for call in backend.calls}
    assert named == {**dict.fromkeys(of_the_page, "the-page"), "/auth/logout": "the-sign-out"}


CHARGER = "/en/energy/chargers/chg_1"
BOTH, NEW, REPORT = "ENERGY_APP OPERATIONS_APP", "/operations/work-orders/new", f"{CHARGER}/report"
ORDERS = "energy.get_charger_work_orders"
SHOWN = f"operations.get_summary energy.get_charger {ORDERS} {ORDERS}?chargerId"


@pytest.mark.parametrize(
    ("permissions", "names", "forms"),
    [
        ("ENERGY_APP", "all", [REPORT]),
        (BOTH, "all", [NEW]),
        (BOTH, f"{SHOWN} operations.create_work_order", [NEW]),
        (BOTH, f"{SHOWN} energy.report_fault", [REPORT]),
        (BOTH, SHOWN, []),
    ],
)
def test_fault_has_high_priority(
    backend: Backend, signed_in: SignedIn, permissions: str, names: str, forms: list[str]
) -> None:
    backend.answers("GET", "/energy/chargers/chg_1", json={"id": "chg_1", "name": "Oslo 1", "status": "faulted"})
    backend.answers("GET", "/energy/chargers/chg_1/work-orders", json=page_of([{"id": "wor_1", "title": "Look"}]))
    with offered(*names.split()):
        page = signed_in(*permissions.split()).get(CHARGER).content.decode()
    links = re.findall(r'href="([^"]*/(?:new|report))\?[^"]*priority=high', page)
    assert [link[-len(form) :] for form, link in zip(forms, links, strict=True)] == forms
    assert ("/operations/work-orders?" in page) == (permissions == BOTH and names == "all")
