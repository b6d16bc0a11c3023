"""Stations: list and detail."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from portal.services.energy.stations import StationQueries, StationStatus
from portal.web.pages import AGE_SORTS, NAME_SORTS, DetailView, ListView, resource_pages
from portal.web.present import Badge

STATUSES: Final = {
    StationStatus.ACTIVE: Badge(label=_("Active"), tone="good"),
    StationStatus.MAINTENANCE: Badge(label=_("Maintenance"), tone="warn"),
    StationStatus.PLANNED: Badge(label=_("Planned")),
}

station_pages = resource_pages(
    "energy/stations",
    name="station",
    title=_("Stations"),
    list=ListView(
        hook=StationQueries.use_get_stations_query,
        search_hint=_("Name, address or city"),
        sorts=AGE_SORTS | NAME_SORTS,
    ),
    detail=DetailView(hook=StationQueries.use_get_station_query),
    context={"statuses": STATUSES},
)
