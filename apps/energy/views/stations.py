"""Stations: list and detail."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from apps.energy.views.elsewhere import work_orders
from apps.energy.views.sessions import sessions_of
from portal.config.contract_names import SORT_BY_NAME
from portal.services.energy.chargers import ChargerQueries
from portal.services.energy.meters import MeterQueries
from portal.services.energy.stations import StationHealth, StationQueries, StationStatus
from portal.web.present import Badge, territory_text
from portal_pages import AGE_SORTS, NAME_SORTS, Column, DetailView, Filter, ListView, Related, resource_pages

STATUSES: Final = {
    StationStatus.ACTIVE: Badge(label=_("Active"), tone="good"),
    StationStatus.MAINTENANCE: Badge(label=_("Maintenance"), tone="warn"),
    StationStatus.PLANNED: Badge(label=_("Planned")),
}
#: The worst first.
HEALTHS: Final = {
    StationHealth.FAULT: Badge(label=_("Fault"), tone="bad"),
    StationHealth.OFFLINE: Badge(label=_("Offline"), tone="warn"),
    StationHealth.OK: Badge(label=_("OK"), tone="good"),
}

station_pages = resource_pages(
    "energy/stations",
    name="station",
    title=_("Stations"),
    list=ListView(
        hook=StationQueries.use_get_stations_query,
        columns={
            "name": Column(_("Station"), sort=SORT_BY_NAME),
            "address": Column(_("Address")),
            "city": Column(_("City"), sort="city"),
            "country": Column(_("Country"), kind="extra"),
            "charger_count": Column(_("Chargers"), kind="number"),
            "health": Column(_("Health"), kind="nowrap", words=HEALTHS),
            "status": Column(_("Status"), kind="corner", words=STATUSES),
        },
        exported={
            "faulted_chargers": Column(_("Faulted chargers")),
            "offline_meters": Column(_("Offline meters")),
        },
        counts=StationQueries.use_get_stations_counts_query,
        beside={"station-map": _("Map")},
        filters=(
            Filter("health", _("Health"), choices=HEALTHS),
            Filter("status", _("Status"), choices=STATUSES),
            Filter("country", _("Country"), label_of=territory_text),
            Filter("city", _("City")),
        ),
        search_hint=_("Name, address or city"),
        sorts=AGE_SORTS | NAME_SORTS,
    ),
    detail=DetailView(
        hook=StationQueries.use_get_station_query,
        related=(
            Related(title=_("Chargers"), hook=ChargerQueries.use_get_chargers_query, by="station_id", page="chargers"),
            sessions_of("station_id"),
            work_orders,
            Related(title=_("Meters"), hook=MeterQueries.use_get_meters_query, by="station_id", page="meters"),
        ),
    ),
    context={"statuses": STATUSES, "healths": HEALTHS},
    key="s",
)
