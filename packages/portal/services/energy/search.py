"""What the search over everything looks through."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from portal.services.energy.chargers import ChargerQueries
from portal.services.energy.clients import ClientQueries
from portal.services.energy.meters import MeterQueries
from portal.services.energy.sessions import ChargingSessionQueries
from portal.services.energy.stations import StationQueries
from portal.services.searched_lists import SearchedList

SEARCHED: Final = (
    SearchedList(
        hook=ClientQueries.use_get_clients_query,
        path="clients",
        title=_("Clients"),
        detail=lambda row: (row.email, row.city),
    ),
    SearchedList(
        hook=StationQueries.use_get_stations_query,
        path="stations",
        title=_("Stations"),
        detail=lambda row: (row.address, row.city),
    ),
    SearchedList(
        hook=ChargerQueries.use_get_chargers_query,
        path="chargers",
        title=_("Chargers"),
        detail=lambda row: (row.station_name, row.model),
    ),
    SearchedList(
        hook=ChargingSessionQueries.use_get_charging_sessions_query,
        path="sessions",
        title=_("Charging sessions"),
        detail=lambda row: (row.station_name, row.client_name),
    ),
    SearchedList(
        hook=MeterQueries.use_get_meters_query,
        path="meters",
        title=_("Meters"),
        detail=lambda row: (row.station_name,),
    ),
)
