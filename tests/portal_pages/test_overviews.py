"""Numbers of an overview: the summary's, or the totals of lists."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from django.test import RequestFactory

from portal.errors import ApiAbsentError, ApiForbiddenError, ApiUnauthorizedError, ApiUnavailableError, SignInEndedError
from portal.query import QueryClient
from portal.services.energy.clients import ClientQueries
from portal.services.energy.meters import MeterQueries
from portal.services.energy.state import EnergyStateQueries
from portal.services.energy.summary import EnergySummary, EnergySummaryQueries
from portal.testing import Backend, NewQueryClient, page_of
from portal_pages import Count, Figure, PeriodChoice, money_of, read_overview
from portal_pages.overviews.summaries import OverviewData
from tests.support.offers import offered

if TYPE_CHECKING:
    from collections.abc import Sequence

CLIENTS: Count[EnergySummary] = Count(
    label="Clients",
    route="clients",
    hook=ClientQueries.use_get_clients_query,
    of=lambda summary: summary.counts.get("clients"),
)
METERS: Count[EnergySummary] = Count(
    label="Meters", route="meters", hook=MeterQueries.use_get_meters_query, icon="check"
)
SUMMARY, CLIENT_LIST, METER_LIST = "/energy/summary", "/energy/clients", "/energy/meters"
KNOWN = {"counts": {"clients": 2400}}


@pytest.fixture
def client(backend: Backend, query_client: NewQueryClient) -> QueryClient:
    backend.answers("GET", CLIENT_LIST, json=page_of([{"id": "c"}], total=7))
    backend.answers("GET", METER_LIST, json=page_of([{"id": "m"}], total=8))
    return query_client("ENERGY_APP")


def read(client: Any, *counts: Count[EnergySummary], **beside: Any) -> OverviewData[EnergySummary]:
    return read_overview(client, summary=EnergySummaryQueries.use_get_summary_query, counts=counts, **beside)


def given(backend: Backend, answers: dict[str, Any]) -> None:
    """The backend's answers: a status or a fault, or what it says."""
    for path, answer in answers.items():
        if isinstance(answer, dict):
            backend.answers("GET", path, json=answer)
        elif isinstance(answer, int) and answer < 500:
            backend.refuses("GET", path, status=answer)
        else:
            backend.fails(answer, path=path)


@pytest.mark.parametrize(
    ("answers", "counts", "shown", "asked"),
    [
        ({SUMMARY: KNOWN}, [CLIENTS], ["2,400"], [SUMMARY]),
        ({SUMMARY: {"counts": {"stations": 1}}}, [CLIENTS], ["–"], [SUMMARY]),
        # A count that no summary has is the total of its list, and so is each without a summary.
        ({SUMMARY: KNOWN}, [CLIENTS, METERS], ["2,400", "8"], [METER_LIST, SUMMARY]),
        ({SUMMARY: {}}, [METERS, CLIENTS, METERS], ["8", "7", "8"], [CLIENT_LIST, METER_LIST, SUMMARY]),
        *(({SUMMARY: status}, [CLIENTS], ["7"], [CLIENT_LIST, SUMMARY]) for status in (400, 403, 404, 405, 410)),
        # A list that is not there has no tile, and one that fails a dash.
        ({SUMMARY: KNOWN, METER_LIST: 404}, [CLIENTS, METERS], ["2,400"], [METER_LIST, SUMMARY]),
        *(
            ({SUMMARY: KNOWN, METER_LIST: fault}, [CLIENTS, METERS], ["2,400", "–"], [METER_LIST, SUMMARY])
            for fault in ("malformed", 401)
        ),
    ],
)
def test_number_is_a_total(
    *, backend: Backend, client: QueryClient, answers: Any, counts: Any, shown: list[str], asked: list[str]
) -> None:
    given(backend, answers)
    data = read(client, *counts)
    assert [tile.value for tile in data.counts] == shown
    assert data.summary == EnergySummary(**(answers[SUMMARY] if isinstance(answers[SUMMARY], dict) else {}))
    assert data.as_of is not None
    assert not data.has_failed
    assert sorted({call.path for call in backend.calls if call.path not in {"/me", "/refresh"}}) == asked
    known = {("Clients", "clients", "clients"), ("Meters", "meters", "check")}
    assert {(tile.label, tile.route, tile.icon) for tile in data.counts} <= known


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        ({SUMMARY: 404, METER_LIST: "malformed", CLIENT_LIST: 403}, ApiForbiddenError),
        ({SUMMARY: KNOWN, METER_LIST: 401, "/me": 401}, (ApiUnauthorizedError, SignInEndedError)),
        ({None: "malformed"}, ApiUnavailableError),
    ],
)
def test_failure_without_any_figure_is_raised(backend: Backend, client: QueryClient, answers: Any, error: Any) -> None:
    given(backend, {"/energy/state": 404, **answers})
    with pytest.raises(error):
        read(client, CLIENTS, METERS, beside=[EnergyStateQueries.use_get_state_query.spec()])


def test_overview_of_nothing_offered_is_absent(client: QueryClient) -> None:
    with offered("required"), pytest.raises(ApiAbsentError):
        read(client, METERS, beside=[EnergyStateQueries.use_get_state_query.spec()])


@pytest.mark.parametrize("status", [503, 401])
def test_failed_summary_leaves_the_reads_beside_it(backend: Backend, client: Any, status: int) -> None:
    given(backend, {SUMMARY: status, "/energy/state": {"chargersByStatus": {"faulted": 1}}})
    data = read(client, CLIENTS, METERS, beside=[EnergyStateQueries.use_get_state_query.spec()])
    assert data.has_failed
    assert data.beside[0].unwrap().chargers_by_status == {"faulted": 1}
    assert not backend.calls_to(CLIENT_LIST), "a backend in trouble is not asked for more"


def point(start: date, **figures: object) -> Any:
    return SimpleNamespace(**figures, start=start, is_under_way=False, is_cut=False)


def summary_of(name: str, *values: object, before: Sequence[object] = (), step: str = "day") -> Any:
    """A summary with a series of this figure, from the first of January on, and one of the period before."""
    return SimpleNamespace(
        series=[point(date(2026, 1, day), **{name: value}) for day, value in enumerate(values, start=1)],
        series_before=[point(date(2025, 12, day), **{name: value}) for day, value in enumerate(before, start=1)],
        current=SimpleNamespace(**{name: sum(filter(None, values))}),  # type: ignore[call-overload]  # numbers
        before=SimpleNamespace(**{name: sum(filter(None, before))}),  # type: ignore[call-overload]  # numbers
        period=SimpleNamespace(step=step),
        currency="EUR",
    )


def plain(text: object) -> str:
    return str(text).replace("\N{NO-BREAK SPACE}", " ")


ENERGY = Figure(label="Energy", name="energy_kwh", unit="kWh", route="sessions", days="startedAt")
PAID = Figure(label="Paid", name="amount", is_money=True)
CREATED = Figure(label="Created", name="created", counted="Orders")
JANUARY = PeriodChoice.of(RequestFactory().get("/?from=2026-01-01&to=2026-01-03"))


@pytest.mark.parametrize(
    ("figure", "values", "unit", "texts", "summary"),
    [
        (ENERGY, (12_345.0, None), "kWh", ["12,345 kWh", "0 kWh"], "12,345 kWh in all, 6,173 kWh per full day"),
        (CREATED, (2, 3), "Orders", ["2", "3"], "5 in all, 2.5 per full day"),
        # Of a single day there is no average.
        (PAID, (Decimal("1250.40"),), None, ["€1,250"], "€1,250 in all"),
    ],
)
def test_chart_has_units_and_a_sum(
    *, figure: Figure, values: tuple[Any, ...], unit: str | None, texts: list[str], summary: str
) -> None:
    chart = figure.chart(summary_of(figure.name, *values))
    assert chart
    assert unit in {chart.unit, None}
    assert [plain(bar.value) for bar in chart.bars] == texts
    assert chart.axis[-1] == "€0" or figure is not PAID
    assert plain(chart.summary) == summary


def test_average_is_that_of_whole_points() -> None:
    summary = summary_of("created", 4, 8, 1, step="week")
    summary.series[2].is_under_way = True
    chart = CREATED.chart(summary)
    assert chart
    assert chart.summary == "13 in all, 6.0 per full week"


@pytest.mark.parametrize(
    ("before", "reading"),
    [
        ((80.0, 90.0), "Jan 1, 2026: 100 kWh, 80 kWh before"),
        ((None, 90.0), "Jan 1, 2026: 100 kWh"),
        ((0.0, 0.0), "Jan 1, 2026: 100 kWh"),
        # Nobody knows which points are compared.
        ((80.0,), "Jan 1, 2026: 100 kWh"),
    ],
)
def test_bar_stands_beside_that_of_the_period_before(before: tuple[Any, ...], reading: str) -> None:
    chart = ENERGY.chart(summary_of("energy_kwh", 100.0, 110.0, before=before))
    assert chart is not None
    assert plain(chart.bars[0].reading) == reading
    assert bool(chart.before) == (90.0 in before)


def test_each_bar_leads_to_its_rows_within_the_period_and_there_is_none_for_days_to_come() -> None:
    summary = summary_of("energy_kwh", 1.0)
    summary.series = [point(date(2025, 12, 29), energy_kwh=1.0), point(date(2026, 1, 2), energy_kwh=2.0)]
    summary.series.append(point(date(2026, 1, 4), energy_kwh=0.0))
    chart = ENERGY.chart(summary, period=JANUARY)
    assert chart is not None
    assert [bar.href.partition("?")[2] for bar in chart.bars] == [
        "startedAtFrom=2026-01-01&startedAtTo=2026-01-01",
        "startedAtFrom=2026-01-02&startedAtTo=2026-01-03",
    ]
    summary.series = []
    assert ENERGY.chart(summary, period=JANUARY) is None


def test_an_amount_of_a_summary_without_a_currency_is_a_number_alone() -> None:
    assert money_of(SimpleNamespace(currency=None))(Decimal("1250.40")) == "1,250"
