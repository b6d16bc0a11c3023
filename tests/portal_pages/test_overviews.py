"""Numbers of an overview: the summary's, or the totals of lists."""

from __future__ import annotations

import time
from datetime import date
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest

from portal.errors import ApiForbiddenError, ApiUnauthorizedError, ApiUnavailableError, SignInEndedError
from portal.query import QueryClient
from portal.query.process_state import process_runtime
from portal.services.energy.clients import ClientQueries
from portal.services.energy.meters import MeterQueries
from portal.services.energy.state import EnergyStateQueries
from portal.services.energy.summary import EnergySummary, EnergySummaryQueries
from portal.testing import Backend, NewQueryClient, page_of
from portal_pages import Count, Figure, money_of, read_overview
from portal_pages.overviews.summaries import OverviewData

CLIENTS: Count[EnergySummary] = Count(
    label="Clients",
    route="clients",
    hook=ClientQueries.use_get_clients_query,
    of=lambda summary: summary.counts.get("clients"),
)
METERS: Count[EnergySummary] = Count(
    label="Meters", route="meters", hook=MeterQueries.use_get_meters_query, icon="check"
)


@pytest.fixture
def client(backend: Backend, query_client: NewQueryClient) -> QueryClient:
    backend.answers("GET", "/energy/clients", json=page_of([{"id": "c"}], total=7))
    backend.answers("GET", "/energy/meters", json=page_of([{"id": "m"}], total=8))
    return query_client("ENERGY_APP")


def read(client: Any, *counts: Count[EnergySummary]) -> OverviewData[EnergySummary]:
    return read_overview(client, summary=EnergySummaryQueries.use_get_summary_query, counts=counts)


def asked(backend: Backend) -> list[str]:
    return sorted(call.path for call in backend.calls if call.path != "/me")


def test_a_number_of_the_summary_needs_no_list(backend: Backend, client: QueryClient) -> None:
    backend.answers("GET", "/energy/summary", json={"counts": {"clients": 2400}})
    data = read(client, CLIENTS)
    assert [(tile.label, tile.value, tile.route, tile.icon) for tile in data.counts] == [
        ("Clients", "2,400", "clients", "clients")
    ]
    assert data.summary.counts == {"clients": 2400}
    assert data.as_of is not None
    assert asked(backend) == ["/energy/summary"]


def test_a_number_that_the_summary_lacks_is_a_dash(backend: Backend, client: QueryClient) -> None:
    backend.answers("GET", "/energy/summary", json={"counts": {"stations": 1}})
    assert [tile.value for tile in read(client, CLIENTS).counts] == ["–"]


def test_a_count_that_no_summary_has_is_the_total_of_its_list(backend: Backend, client: QueryClient) -> None:
    backend.answers("GET", "/energy/summary", json={"counts": {"clients": 2400}})
    tiles = read(client, CLIENTS, METERS).counts
    assert [(tile.value, tile.icon) for tile in tiles] == [("2,400", "clients"), ("8", "check")]
    assert asked(backend) == ["/energy/meters", "/energy/summary"]


@pytest.mark.parametrize("summary", [None, {}])
def test_without_a_summary_or_with_nothing_in_it_every_number_is_a_total(
    backend: Backend, client: QueryClient, summary: dict[str, Any] | None
) -> None:
    if summary is None:
        backend.refuses("GET", "/energy/summary", status=404)
    else:
        backend.answers("GET", "/energy/summary", json=summary)
    data = read(client, METERS, CLIENTS, METERS)
    assert [tile.value for tile in data.counts] == ["8", "7", "8"]
    assert data.summary == EnergySummary()


def test_a_summary_that_is_there_again_counts(
    backend: Backend, client: QueryClient, query_client: NewQueryClient
) -> None:
    backend.refuses("GET", "/energy/summary", status=404)
    read(client, CLIENTS)
    backend.answers("GET", "/energy/summary", json={"counts": {"clients": 2400}})
    assert [tile.value for tile in read(query_client("ENERGY_APP"), CLIENTS).counts] == ["7"], "for ten minutes"
    key = EnergySummaryQueries.use_get_summary_query.key
    process_runtime().gaps.learn(key, status=404, now=time.time() - 610)
    assert [tile.value for tile in read(query_client("ENERGY_APP"), CLIENTS).counts] == ["2,400"]


@pytest.mark.parametrize("status", [400, 403, 405, 410])
def test_a_summary_that_is_refused_is_none_and_takes_no_list_with_it(
    backend: Backend, client: QueryClient, status: int
) -> None:
    backend.refuses("GET", "/energy/summary", status=status)
    data = read(client, CLIENTS)
    assert [tile.value for tile in data.counts] == ["7"]
    assert not data.has_failed


@pytest.mark.parametrize("status", [403, 404])
def test_a_list_that_is_not_there_has_no_tile(backend: Backend, client: QueryClient, status: int) -> None:
    backend.answers("GET", "/energy/summary", json={"counts": {"clients": 2400}})
    backend.refuses("GET", "/energy/meters", status=status)
    assert [tile.value for tile in read(client, CLIENTS, METERS).counts] == ["2,400"]


@pytest.mark.parametrize("fault", [503, "malformed"])
def test_a_list_that_fails_beside_a_summary_has_a_dash(backend: Backend, client: QueryClient, fault: int | str) -> None:
    backend.answers("GET", "/energy/summary", json={"counts": {"clients": 2400}})
    backend.fails(fault, path="/energy/meters")
    assert [tile.value for tile in read(client, CLIENTS, METERS).counts] == ["2,400", "–"]


def test_a_list_that_fails_beside_another_one_has_a_dash(backend: Backend, client: QueryClient) -> None:
    backend.refuses("GET", "/energy/summary", status=404)
    backend.fails("malformed", path="/energy/meters")
    data = read(client, CLIENTS, METERS)
    assert [tile.value for tile in data.counts] == ["7", "–"]
    assert data.as_of is not None


def test_where_neither_a_summary_nor_a_list_is_known_the_failure_is_the_page(
    backend: Backend, client: QueryClient
) -> None:
    backend.refuses("GET", "/energy/summary", status=404)
    backend.fails("malformed", path="/energy/meters")
    backend.refuses("GET", "/energy/clients", status=403)
    with pytest.raises(ApiForbiddenError):
        read(client, CLIENTS, METERS)


def test_a_list_that_asks_for_a_new_sign_in_is_the_page(backend: Backend, client: QueryClient) -> None:
    backend.answers("GET", "/energy/summary", json={"counts": {"clients": 2400}})
    backend.refuses("GET", "/energy/meters", status=401)
    with pytest.raises((ApiUnauthorizedError, SignInEndedError)):
        read(client, CLIENTS, METERS)


@pytest.mark.parametrize("fault", [503, "malformed", "timeout"])
def test_a_summary_that_fails_leaves_what_was_read_beside_it(backend: Backend, client: Any, fault: int | str) -> None:
    backend.fails(fault, path="/energy/summary")
    backend.answers("GET", "/energy/state", json={"chargersByStatus": {"faulted": 1}})
    state = EnergyStateQueries.use_get_state_query.spec()
    data = read_overview(
        client, summary=EnergySummaryQueries.use_get_summary_query, counts=[CLIENTS, METERS], beside=[state]
    )
    assert data.has_failed
    assert data.beside[0].unwrap().chargers_by_status == {"faulted": 1}
    assert asked(backend).count("/energy/clients") == 0, "a backend in trouble is not asked for more"


@pytest.mark.parametrize("fault", [503, "malformed"])
def test_where_all_that_is_read_fails_the_failure_is_the_page(backend: Backend, client: Any, fault: int | str) -> None:
    backend.fails(fault)
    state = EnergyStateQueries.use_get_state_query.spec()
    with pytest.raises(ApiUnavailableError):
        read_overview(client, summary=EnergySummaryQueries.use_get_summary_query, counts=[CLIENTS], beside=[state])


class Period:
    """A period as a summary has it."""

    step = "day"


class Point:
    """A point of a series."""

    def __init__(self, energy_kwh: float | None, amount: Decimal | None = None) -> None:
        self.energy_kwh, self.amount = energy_kwh, amount
        self.start, self.is_under_way, self.is_cut = date(2026, 1, 1), False, False


class Summary:
    """The figures of a period."""

    period, currency = Period(), "EUR"

    def __init__(self, *points: Point) -> None:
        self.series = points


ENERGY = Figure(label="Energy", name="energy_kwh", unit="kWh")


@pytest.mark.parametrize(
    ("values", "unit", "texts"),
    [
        ((120.4, None), "kWh", ["120 kWh", "0 kWh"]),
        ((12_345.0, 9000.0), "MWh", ["12.3 MWh", "9.0 MWh"]),
    ],
)
def test_large_values_of_a_chart_are_in_the_larger_unit_all_of_them(
    values: tuple[float | None, ...], unit: str, texts: list[str]
) -> None:
    chart = ENERGY.chart(Summary(*map(Point, values)))
    assert chart is not None
    assert chart.unit == unit
    assert [bar.value.replace("\N{NO-BREAK SPACE}", " ") for bar in chart.bars] == texts


def test_an_amount_of_a_summary_without_a_currency_is_a_number_alone() -> None:
    assert money_of(SimpleNamespace(currency=None))(Decimal("1250.40")) == "1,250"


def test_amounts_of_a_chart_and_of_its_axis_are_in_the_currency() -> None:
    chart = Figure(label="Paid", name="amount", is_money=True).chart(Summary(Point(None, Decimal("1250.40"))))
    assert chart is not None
    assert [bar.value for bar in chart.bars] == ["€1,250"]
    assert chart.axis[-1] == "€0"
