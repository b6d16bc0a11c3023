"""What belongs to a row: short lists on its page."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from django.test import Client as Browser

from portal.errors import UsageError
from portal.query.process_state import process_runtime
from portal.services.energy.clients import ClientQueries
from portal.services.energy.meters import MeterQueries
from portal.services.operations.work_orders import WorkOrderQueries
from portal.testing import Backend, SignedIn, page_of, row_ids
from portal_pages import Column, DetailView, Filter, ListView, Related, resource_pages
from tests.portal_pages.customers import CUSTOMERS, CustomerQueries, blank, customer_pages, served

METERS = "/energy/meters"
ORDERS = "/operations/work-orders"
ADA = {"id": "c/1", "name": "Ada"}
HERE = "/en/energy/clients/c1"

meters = Related(title="Her <meters>", hook=MeterQueries.use_get_meters_query, by="station_id", page="meters")
orders = Related(
    title="Orders",
    hook=WorkOrderQueries.use_get_work_orders_query,
    by="station_id",
    page="/operations/work-orders",
    template="energy/stations/work_orders.html",
    context={"statuses": {}},
    create="One more",
)
#: Those of the meters' template.
METER_COLUMNS = {
    name: Column(name) for name in ("serial", "station_name", "last_reading_kwh", "last_reading_at", "status")
}
PAGES = [
    *resource_pages("energy/stations", name="station", title="Stations", detail=blank),
    *customer_pages(detail=DetailView(hook=CustomerQueries.use_get_customer_query, related=(meters, orders))),
    *resource_pages(
        "energy/meters",
        name="meter",
        title="Meters",
        list=ListView(
            hook=MeterQueries.use_get_meters_query,
            columns=METER_COLUMNS,
            filters=(Filter("stationId", "Station", named_by="station_name"),),
        ),
        detail=blank,
        context={"statuses": {}},
    ),
]


@pytest.fixture
def open_as(signed_in: SignedIn, backend: Backend) -> Any:
    backend.answers("GET", f"{CUSTOMERS}/c1", json=ADA | {"id": "c1"})
    backend.lists(METERS, [{"id": f"m{number}", "serial": f"M-{number}", "stationId": "c1"} for number in range(1, 8)])
    backend.lists(ORDERS, [{"id": "o1", "title": "Clean <it>", "stationId": "c1"}])
    with served(*PAGES):
        yield signed_in


def text_of(browser: Browser, path: str = HERE) -> str:
    response = browser.get(path)
    assert response.status_code == 200
    return response.content.decode()


def test_the_page_of_a_row_shows_the_first_five_and_leads_to_all_of_them(open_as: SignedIn, backend: Backend) -> None:
    browser = open_as("ENERGY_APP")
    assert row_ids(browser.get(HERE)) == ["m1", "m2", "m3", "m4", "m5"]
    page = text_of(browser)
    assert "Her &lt;meters&gt;</h2>" in page
    assert 'href="/en/energy/meters?stationId=c1"' in page
    assert "Show all 7" in page
    assert '<a href="/en/energy/meters/m1">' in page
    assert backend.calls_to(METERS)[0].query == {"stationId": "c1", "limit": "20"}


def test_the_column_that_names_the_row_itself_is_left_out(open_as: SignedIn, backend: Backend) -> None:
    backend.lists(METERS, [{"id": "m1", "serial": "M-1", "stationName": "Her own name", "stationId": "c1"}])
    page = text_of(open_as("ENERGY_APP"))
    table = page[page.index("<thead>") : page.index("</table>")]
    assert 'scope="col"' in table
    assert "station_name" not in table, "neither the heading nor the label of a narrow screen"
    assert re.search(r"<td hidden>\s*(<a [^>]*>)?Her own name", table)
    assert "station_name" in open_as("ENERGY_APP").get("/en/energy/meters").content.decode()


def test_the_list_that_it_leads_to_asks_the_backend_no_further_question(open_as: SignedIn, backend: Backend) -> None:
    browser = open_as("ENERGY_APP")
    text_of(browser)
    with_query = ListView(hook=MeterQueries.use_get_meters_query)
    assert with_query.hook.spec(station_id="c1").query.key == meters.spec("c1").query.key
    text_of(browser)
    assert len(backend.calls_to(METERS)) == 1


def test_another_platforms_list_is_shown_to_who_may_open_that_platform(open_as: SignedIn, backend: Backend) -> None:
    assert "Orders" not in text_of(open_as("ENERGY_APP"))
    assert not backend.calls_to(ORDERS)
    page = text_of(open_as("ENERGY_APP", "OPERATIONS_APP"))
    assert 'href="http://localhost:8000/en/operations/work-orders?stationId=c1"' in page
    assert '<a href="http://localhost:8000/en/operations/work-orders/o1">Clean &lt;it&gt;</a>' in page
    assert 'href="http://localhost:8000/en/operations/work-orders/new?stationId=c1"' in page


@pytest.mark.parametrize("status", [403, 404])
def test_a_list_that_the_backend_denies_or_does_not_have_is_left_out(
    open_as: SignedIn, backend: Backend, status: int
) -> None:
    backend.refuses("GET", ORDERS, status=status)
    assert "Orders" not in text_of(open_as("ENERGY_APP", "OPERATIONS_APP"))


def test_a_list_that_was_absent_ten_minutes_ago_is_asked_for_at_once(open_as: SignedIn) -> None:
    gaps, key = process_runtime().gaps, MeterQueries.use_get_meters_query.key
    gaps.learn(key, status=404, now=time.time() - 590)
    assert "Her &lt;meters&gt;" not in text_of(open_as("ENERGY_APP"))
    gaps.learn(key, status=404, now=time.time() - 610)
    assert "Her &lt;meters&gt;" in text_of(open_as("ENERGY_APP"))


@pytest.mark.parametrize("status", [422, 503])
def test_a_list_that_fails_says_so_beside_the_others(open_as: SignedIn, backend: Backend, status: int) -> None:
    backend.refuses("GET", METERS, status=status)
    page = text_of(open_as("ENERGY_APP", "OPERATIONS_APP"))
    assert page.count("This could not be loaded.") == 1
    assert "Clean &lt;it&gt;" in page


@pytest.mark.parametrize(
    "rows",
    [
        [{"id": "m1", "serial": "M-1", "stationId": "c1"}, {"id": "m2", "serial": "M-2", "stationId": "other"}],
        [{"id": "m1", "serial": "M-1", "stationId": "c1"}, {"id": "m2", "serial": "M-2"}],
        [{"id": "m2", "serial": "M-2", "stationId": None}],
    ],
)
def test_rows_that_do_not_say_that_they_belong_to_this_one_are_not_shown(
    open_as: SignedIn, backend: Backend, rows: list[dict[str, Any]]
) -> None:
    """Of a backend that does not know the parameter, and gives the list of all rows."""
    backend.lists(METERS, rows)
    page = text_of(open_as("ENERGY_APP"))
    assert "Her &lt;meters&gt;" not in page
    assert "M-2" not in page


def test_a_row_without_anything_says_so(open_as: SignedIn, backend: Backend) -> None:
    backend.lists(METERS, [])
    page = text_of(open_as("ENERGY_APP"))
    assert "Nothing here yet" in page
    assert "Show all" not in page


def test_where_all_rows_are_shown_nothing_offers_to_show_all(open_as: SignedIn, backend: Backend) -> None:
    backend.lists(METERS, [{"id": "m1", "serial": "M-1", "stationId": "c1"}])
    page = text_of(open_as("ENERGY_APP"))
    assert "Show in the list" in page
    assert "Show all" not in page


def test_a_backend_that_does_not_count_has_no_number(open_as: SignedIn, backend: Backend) -> None:
    answer = page_of([{"id": "m1", "stationId": "c1"}])
    backend.answers("GET", METERS, json={name: value for name, value in answer.items() if name != "total"})
    page = text_of(open_as("ENERGY_APP"))
    assert ">Show all<" in page
    assert "None" not in page


def test_a_row_that_is_not_there_is_a_404(open_as: SignedIn, backend: Backend) -> None:
    backend.refuses("GET", f"{CUSTOMERS}/c1", status=404)
    assert open_as("ENERGY_APP").get(HERE).status_code == 404


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hook": MeterQueries.use_get_meter_query}, "hook should be the hook of a list"),
        ({"by": "colour"}, "has no parameter 'colour'; it has"),
        ({"hook": ClientQueries.use_get_clients_query}, "has no parameter 'station_id'"),
        ({"page": "/nowhere/meters"}, "/nowhere/meters is no path of a platform"),
        ({"page": "/finance/meters"}, "give the template of its rows"),
    ],
)
def test_a_wrong_declaration_is_told_when_it_is_made(changes: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"title": "", "hook": MeterQueries.use_get_meters_query, "by": "station_id", "page": "x"}
    with pytest.raises(UsageError, match=message):
        Related(**given | changes)
