"""The overview."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.energy.presenters.overview import present_overview
from portal.services.energy.chargers import ChargerQueries
from portal.services.energy.clients import ClientQueries
from portal.services.energy.meters import MeterQueries
from portal.services.energy.sessions import ChargingSessionQueries
from portal.services.energy.stations import StationQueries
from portal.services.energy.summary import EnergySummaryQueries
from portal.web.answers import optional
from portal.web.lists import total_of
from portal.web.shell import active_locale

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Figures and charts. A backend without a summary still has its lists, and those know their totals."""
    summary = optional(EnergySummaryQueries.use_get_summary_query(request))
    shown = present_overview(summary or {}, totals={} if summary else _totals(request), locale=active_locale())
    return render(request, "energy/overview.html", {"overview": shown})


def _totals(request: HttpRequest) -> dict[str, int | None]:
    return {
        "clients": total_of(ClientQueries.use_get_clients_query(request)),
        "stations": total_of(StationQueries.use_get_stations_query(request)),
        "chargers": total_of(ChargerQueries.use_get_chargers_query(request)),
        "sessions": total_of(ChargingSessionQueries.use_get_charging_sessions_query(request)),
        "meters": total_of(MeterQueries.use_get_meters_query(request)),
    }
