"""The overview: numbers and charts from the backend's summary; without a summary, the totals of the lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from apps.energy.views.chargers import STATUSES
from portal.services.energy.chargers import ChargerQueries
from portal.services.energy.clients import ClientQueries
from portal.services.energy.meters import MeterQueries
from portal.services.energy.sessions import ChargingSessionQueries
from portal.services.energy.stations import StationQueries
from portal.services.energy.summary import EnergySummaryQueries
from portal.web.pages import Count, read_overview
from portal.web.present import (
    BarChart,
    Point,
    bar_chart,
    compact_number_text,
    month_text,
    number_text,
    split_bar,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from django.http import HttpRequest, HttpResponse

    from portal.services.energy.summary import EnergyHour, EnergyMonth, EnergySummary


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
    """Numbers and charts."""
    read = read_overview(request, summary=EnergySummaryQueries.use_get_summary_query, counts=COUNTS)
    context = {
        "tiles": read.tiles,
        "energy": energy_chart(read.summary.energy_by_month),
        "hours": hours_chart(read.summary.sessions_by_hour),
        "chargers": split_bar(read.summary.chargers_by_status, badges=STATUSES),
        "as_of": read.as_of,
    }
    return render(request, "energy/overview.html", context)


def energy_chart(months: Iterable[EnergyMonth]) -> BarChart | None:
    """The energy of each month, megawatt-hours."""
    points = []
    for each in months:
        energy_mwh = (each.energy_kwh or 0) / 1000
        text = f"{number_text(energy_mwh, places=1)} MWh"
        points.append(Point(label=month_text(each.month), value=energy_mwh, text=text))
    return bar_chart(points, axis_text=compact_number_text)


def hours_chart(hours: Iterable[EnergyHour]) -> BarChart | None:
    """How many charging sessions began in each hour of the day."""
    points = []
    for each in hours:
        count = each.sessions or 0
        points.append(Point(label=f"{each.hour or 0:02d}", value=count, text=number_text(count)))
    return bar_chart(points, axis_text=compact_number_text)
