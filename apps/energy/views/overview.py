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
from portal.web.pages import summary_or_lists
from portal.web.present import oldest_as_of, record_if_exists

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

#: The tiles whose number is the total of a list, in the order in which the lists are read.
COUNTED: Final = ("clients", "stations", "chargers", "sessions", "meters")


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Numbers and charts from the backend's summary; without a summary, the totals of the lists."""
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
    totals = {name: result.unwrap().total for name, result in zip(COUNTED, lists, strict=bool(lists))}
    shown = present_overview(record_if_exists(summary) or {}, totals=totals)
    return render(request, "energy/overview.html", {"overview": shown, "as_of": oldest_as_of(summary, *lists)})
