"""The overview: what needs somebody now, and the figures of a period; without a summary, the totals of the lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from apps.energy.views.chargers import STATUSES
from portal.services.energy.chargers import ChargerQueries, ChargerStatus
from portal.services.energy.clients import ClientQueries
from portal.services.energy.meters import MeterQueries, MeterStatus
from portal.services.energy.sessions import ChargingSessionQueries
from portal.services.energy.state import EnergyState, EnergyStateQueries
from portal.services.energy.stations import StationQueries
from portal.services.energy.summary import EnergyFigures, EnergySummaryQueries
from portal.web.pages import Count, PeriodChoice, list_url, live_part, read_overview
from portal.web.present import (
    BarChart,
    Need,
    NeedLink,
    Point,
    StatTile,
    bar_chart,
    compared_tile,
    money_text,
    month_points,
    needs_of,
    number_text,
    part_if_answered,
    series_points,
    split_bar,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from django.http import HttpRequest, HttpResponse

    from portal.services.energy.summary import EnergyHour, EnergyLocalHour, EnergySummary

DEFAULT_CURRENCY: Final = "EUR"
#: From so much on, charts are in megawatt-hours, kWh.
MANY_KWH: Final = 10_000


def _of(name: str) -> Callable[[EnergySummary], int | None]:
    return lambda summary: summary.counts.get(name)


COUNTS: Final = (
    Count(label=_("Clients"), route="clients", hook=ClientQueries.use_get_clients_query, of=_of("clients")),
    Count(label=_("Stations"), route="stations", hook=StationQueries.use_get_stations_query, of=_of("stations")),
    Count(label=_("Chargers"), route="chargers", hook=ChargerQueries.use_get_chargers_query, of=_of("chargers")),
    Count(
        label=_("Charging sessions"),
        route="sessions",
        hook=ChargingSessionQueries.use_get_charging_sessions_query,
        of=_of("sessions"),
    ),
    Count(label=_("Meters"), route="meters", hook=MeterQueries.use_get_meters_query, of=_of("meters")),
)


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """What needs somebody now, and figures and charts of a period."""
    period = PeriodChoice.of(request)
    read = read_overview(
        request,
        summary=EnergySummaryQueries.use_get_summary_query,
        counts=COUNTS,
        period=period,
        beside=[EnergyStateQueries.use_get_state_query.spec()],
    )
    summary, state = read.summary, part_if_answered(read.beside[0])
    has_period = summary.period is not None
    context = {
        "period": period if has_period else None,
        "tiles": tuple(period_tiles(summary, period)) if has_period else read.tiles,
        "counts": read.tiles if has_period else (),
        "energy": energy_chart(summary),
        "hours": hours_chart(summary.sessions_by_local_hour or summary.sessions_by_hour),
        "hours_are_local": bool(summary.sessions_by_local_hour),
        "as_of": read.as_of,
        **now_context(state or EnergyState(chargers_by_status=summary.chargers_by_status)),
        "is_live": state is not None,
    }
    return render(request, "energy/overview.html", context)


def now_context(state: EnergyState) -> Mapping[str, Any]:
    """What changes from minute to minute."""
    faulted = state.chargers_by_status.get(ChargerStatus.FAULTED)
    offline = state.meters_by_status.get(MeterStatus.OFFLINE)
    return {
        "chargers": split_bar(
            state.chargers_by_status, badges=STATUSES, href=lambda status: list_url("chargers", status=status)
        ),
        "needs": needs_of(
            [
                Need(
                    label=ngettext("faulted charger", "faulted chargers", faulted or 0),
                    count=faulted,
                    href=list_url("chargers", status=ChargerStatus.FAULTED),
                    links=tuple(
                        NeedLink(label=charger.name or charger.id, route="charger", row_id=charger.id)
                        for charger in state.faulted_chargers
                    ),
                ),
                Need(
                    label=ngettext("offline meter", "offline meters", offline or 0),
                    count=offline,
                    href=list_url("meters", status=MeterStatus.OFFLINE),
                    tone="warn",
                ),
            ]
        ),
    }


#: The part of the overview that renews itself.
now_page = live_part(
    "energy/now",
    "energy/overview.html",
    lambda request: now_context(EnergyStateQueries.use_get_state_query(request).unwrap()),
    name="now",
)


def period_tiles(summary: EnergySummary, period: PeriodChoice) -> Iterator[StatTile]:
    """The figures of the period, beside those of the one before."""
    current, before = summary.current or EnergyFigures(), summary.before or EnergyFigures()
    currency = summary.currency or DEFAULT_CURRENCY
    sessions = list_url("sessions", **period.range_of("startedAt"))
    yield compared_tile(
        _("Energy"),
        current.energy_kwh,
        before=before.energy_kwh,
        text=lambda energy_kwh: f"{number_text(energy_kwh)} kWh",
        icon="meters",
    )
    yield compared_tile(
        _("Charging sessions"),
        current.sessions,
        before=before.sessions,
        text=number_text,
        href=sessions,
        icon="sessions",
    )
    yield compared_tile(
        _("Revenue"),
        current.revenue,
        before=before.revenue,
        text=lambda amount: money_text(amount, currency=currency, places=0),
        icon="check",
    )


def energy_chart(summary: EnergySummary) -> BarChart | None:
    """The energy of each day, week or month of the period; of twelve months, if the summary knows no period."""
    series = summary.series if summary.period else summary.energy_by_month
    is_much = max((each.energy_kwh or 0 for each in series), default=0) >= MANY_KWH
    unit, size, places = ("MWh", 1000, 1) if is_much else ("kWh", 1, 0)

    def text(energy_kwh: float | None) -> str:
        return f"{number_text((energy_kwh or 0) / size, places=places)} {unit}"

    if summary.period is None:
        months = summary.energy_by_month
        return bar_chart(
            month_points((each.month, (each.energy_kwh or 0) / size, text(each.energy_kwh)) for each in months),
            unit=unit,
        )
    points = series_points(
        summary.series,
        step=summary.period.step,
        value=lambda each: (each.energy_kwh or 0) / size,
        text=lambda each: text(each.energy_kwh),
    )
    return bar_chart(points, unit=unit)


def hours_chart(hours: Iterable[EnergyHour | EnergyLocalHour]) -> BarChart | None:
    """How many charging sessions began in each hour of the day."""
    points = []
    for each in hours:
        hour, count = each.hour or 0, each.sessions or 0
        points.append(
            Point(label=f"{hour:02d}:00–{hour:02d}:59", short=f"{hour:02d}", value=count, text=number_text(count))
        )
    return bar_chart(points, unit=_("Sessions"))
