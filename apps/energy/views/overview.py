"""The overview."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.energy.presenters.overview import present_overview
from portal.services.energy.chargers import ChargerQueries
from portal.services.energy.clients import ClientQueries
from portal.services.energy.meters import MeterQueries
from portal.services.energy.sessions import ChargingSessionQueries
from portal.services.energy.stations import StationQueries
from portal.services.energy.summary import EnergySummaryQueries
from portal.web.frame.shell import active_locale
from portal.web.pages.list_pages import total_of
from portal.web.pages.overviews import summary_or_lists
from portal.web.present.results import oldest, optional

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

#: The figures whose number a list knows, in the order in which the lists are asked for.
COUNTED: Final = ("clients", "stations", "chargers", "sessions", "meters")


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Figures and charts. A backend without a summary still has its lists, and those know their totals."""
    summary, lists = summary_or_lists(
        request,
        summary=EnergySummaryQueries.use_get_summary_query.spec(),
        lists=[
            ClientQueries.use_get_clients_query.spec(),
            StationQueries.use_get_stations_query.spec(),
            ChargerQueries.use_get_chargers_query.spec(),
            ChargingSessionQueries.use_get_charging_sessions_query.spec(),
            MeterQueries.use_get_meters_query.spec(),
        ],
    )
    totals = {name: total_of(result) for name, result in zip(COUNTED, lists, strict=bool(lists))}
    shown = present_overview(optional(summary) or {}, totals=totals, locale=active_locale())
    return render(request, "energy/overview.html", {"overview": shown, "as_of": oldest(summary, *lists)})
