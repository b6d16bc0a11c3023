"""Stations: list and detail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from apps.energy.presenters.stations import present_station
from portal.services.energy.stations import StationQueries
from portal.web.pages import AGE_SORTS, NAME_SORTS, ListPageConfig
from portal.web.present import record_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

STATIONS = ListPageConfig(
    title=_("Stations"),
    search_hint=_("Name, address or city"),
    sorts=AGE_SORTS | NAME_SORTS,
    present=present_station,
    template="energy/stations/list.html",
)


@require_safe
def station_list(request: HttpRequest) -> HttpResponse:
    """The list: the first page, or the page that the URL's cursor names."""
    return STATIONS.respond(request, StationQueries.use_get_stations_query)


@require_safe
def station_detail(request: HttpRequest, station_id: str) -> HttpResponse:
    """One station."""
    record = record_of(StationQueries.use_get_station_query(request, {"id": station_id}))
    return render(request, "energy/stations/detail.html", {"station": present_station(record)})
