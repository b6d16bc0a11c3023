"""What belongs to a row: short lists on its page."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import URLPattern

from portal.services.energy.meters import MeterQueries
from portal.services.operations.work_orders import WorkOrderQueries
from portal.testing import Backend, SignedIn, row_ids
from portal_pages import Column, DetailView, Filter, ListView, Related, resource_pages
from tests.portal_pages.customers import CustomerQueries, blank, customer_pages, served
from tests.portal_pages.site import ROW, Site

METERS = "/energy/meters"
ORDERS = "/operations/work-orders"
PORTAL = "http://localhost:8000/en/operations/work-orders"
HERS = "Her <meters>"
ONE = {"id": "m1", "serial": "M-1", "stationId": "c1"}

meters = Related(title=HERS, hook=MeterQueries.use_get_meters_query, by="station_id", page="meters")
orders = Related(
    title="Orders",
    hook=WorkOrderQueries.use_get_work_orders_query,
    by="station_id",
    page="/operations/work-orders",
    template="energy/stations/work_orders.html",
    context={"statuses": {}},
    create="One more",
)
METER_LIST = ListView(
    hook=MeterQueries.use_get_meters_query,
    # Those of the meters' template.
    columns={
        each: Column(each) for each in ("serial", "station_name", "last_reading_kwh", "last_reading_at", "status")
    },
    filters=(Filter("stationId", "Station", named_by="station_name"),),
)


def meter_pages(**given: str) -> list[URLPattern]:
    shared: dict[str, Any] = {"name": "meter", "title": "Meters", "detail": blank, "context": {"statuses": {}}}
    return resource_pages("energy/meters", list=METER_LIST, **shared, **given)


OTHERS = [
    *resource_pages("energy/stations", name="station", title="Stations", detail=blank),
    *customer_pages(detail=DetailView(hook=CustomerQueries.use_get_customer_query, related=(meters, orders))),
]


@pytest.fixture
def site(signed_in: SignedIn, backend: Backend) -> Iterator[Site]:
    """Of somebody who may open both platforms."""
    backend.answers("GET", ROW, json={"id": "c1", "name": "Ada"})
    backend.lists(METERS, [ONE | {"id": f"m{number}", "serial": f"M-{number}"} for number in range(1, 8)])
    backend.lists(ORDERS, [{"id": "o1", "title": "Clean <it>", "stationId": "c1"}])
    with served(*OTHERS, *meter_pages()):
        yield Site(backend, signed_in("ENERGY_APP", "OPERATIONS_APP"))


def test_the_page_of_a_row_shows_the_first_five_and_leads_to_all_of_them_without_a_further_question(site: Site) -> None:
    page = site.get()
    assert row_ids(page.response)[:5] == ["m1", "m2", "m3", "m4", "m5"]
    assert "m6" not in row_ids(page.response)
    for text in ("Her &lt;meters&gt;</h2>", 'href="/en/energy/meters?stationId=c1"', "Show all 7", "Show in the list"):
        assert text in page.html
    site.get()
    site.get("/en/energy/meters?stationId=c1")
    assert [call.query for call in site.backend.calls_to(METERS)] == [{"stationId": "c1", "limit": "20"}]


def test_list_needs_its_permission_before_the_backend_is_asked(site: Site, signed_in: SignedIn) -> None:
    with served(*OTHERS, *meter_pages(permission="ENERGY_LEAD")):
        users = (signed_in("ENERGY_APP", permissions=["ENERGY_APP", *more]) for more in ([], ["ENERGY_LEAD"]))
        reader, lead = (Site(site.backend, user) for user in users)
        assert "Her &lt;meters&gt;" not in reader.get().html
        assert site.backend.calls_to(METERS) == []
        assert "Her &lt;meters&gt;" in lead.get().html


def test_the_column_that_names_the_row_itself_is_left_out(site: Site) -> None:
    site.backend.lists(METERS, [ONE | {"stationName": "Her own name"}])
    page = site.get().html
    table = page[page.index("<thead>") : page.index("</table>")]
    assert 'scope="col"' in table
    assert "station_name" not in table, "neither the heading nor the label of a narrow screen"
    assert "station_name" in site.get("/en/energy/meters").html


def test_another_platforms_list_is_shown_to_who_may_open_that_platform(site: Site, signed_in: SignedIn) -> None:
    assert "Orders" not in Site(site.backend, signed_in("ENERGY_APP")).get().text
    assert not site.backend.calls_to(ORDERS)
    page = site.get().html
    assert f'<a href="{PORTAL}/o1">Clean &lt;it&gt;</a>' in page
    for end in ("?stationId=c1", "/new?stationId=c1"):
        assert f'href="{PORTAL}{end}"' in page


@pytest.mark.parametrize(("status", "is_said"), [(403, False), (404, False), (422, True), (503, True)])
def test_denied_list_is_left_out_and_failed_one_says_so(site: Site, status: int, is_said: bool) -> None:
    site.backend.refuses("GET", METERS, status=status)
    page = site.get()
    assert (page.status, page.text.count("This could not be loaded."), HERS in page.text) == (200, is_said, is_said)
    assert "Clean <it>" in page.text


@pytest.mark.parametrize(
    ("rows", "shown"),
    [
        # Of a backend that does not know the parameter, and gives the list of all rows.
        ([ONE, {"id": "m2", "serial": "M-2", "stationId": "other"}], None),
        ([{"id": "m2", "serial": "M-2", "stationId": None}], None),
        ([ONE, {"id": "m2", "serial": "M-2"}], None),
        ([], "Nothing here yet"),
        ([ONE], "Show in the list"),
    ],
)
def test_only_rows_that_belong_here_are_shown(site: Site, rows: list[dict[str, Any]], shown: str | None) -> None:
    site.backend.lists(METERS, rows)
    page = site.get().text
    assert (HERS in page, (shown or HERS) in page) == (shown is not None, shown is not None)
    assert ("Show all" in page, "M-2" in page) == (False, False)


def test_id_with_a_comma_is_one_value() -> None:
    assert meters.spec(r"a,b\c").query.key.params == {"stationId": r"a\,b\\c"}
