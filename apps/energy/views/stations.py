"""Stations: list and detail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from apps.energy.presenters.stations import present_station
from portal.config.wire_names import SORT_BY_NAME, SORT_BY_NAME_DESCENDING, SORT_NEWEST_FIRST, SORT_OLDEST_FIRST
from portal.services.energy.stations import StationQueries, StationsListParams
from portal.web.pages.list_pages import ListView
from portal.web.present.results import record_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

STATIONS = ListView(
    title=_("Stations"),
    search_hint=_("Name, address or city"),
    template="energy/stations/list.html",
    table_template="energy/stations/table.html",
    sorts={
        SORT_NEWEST_FIRST: _("Newest first"),
        SORT_OLDEST_FIRST: _("Oldest first"),
        SORT_BY_NAME: _("Name, A to Z"),
        SORT_BY_NAME_DESCENDING: _("Name, Z to A"),
    },
    present=present_station,
)


@require_safe
def station_list(request: HttpRequest) -> HttpResponse:
    """The list, or with a cursor one further page of it."""
    controls = STATIONS.controls(request)
    params = StationsListParams(q=controls.q or None, sort=controls.sort or None)
    result = StationQueries.use_get_stations_query(request, params, cursor=controls.cursor or None)
    return STATIONS.render(request, controls=controls, result=result)


@require_safe
def station_detail(request: HttpRequest, station_id: str) -> HttpResponse:
    """One of them."""
    record = record_of(StationQueries.use_get_station_query(request, {"id": station_id}))
    return render(request, "energy/stations/detail.html", {"station": present_station(record)})
