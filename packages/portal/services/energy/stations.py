"""Stations: places with chargers."""

from __future__ import annotations

from typing import Final

from portal.query import ListParams, QueryGroup, RowParams, paginated_query_endpoint, query_endpoint
from portal.services.rows import Row, row_url

PATH: Final = "/energy/stations"


class Station(Row, total=False):
    """A place with chargers. `status`: active, maintenance, planned; `country`: ISO 3166-1, two letters."""

    name: str
    address: str
    city: str
    country: str
    latitude: float
    longitude: float
    status: str
    chargerCount: int
    createdAt: str


class StationsListParams(ListParams):
    """`sort`: also `name`, `city`. The others are exact matches."""

    city: str | None = None
    country: str | None = None
    status: str | None = None


class StationQueries(QueryGroup):
    """`use_get_stations_query` and `use_get_station_query`."""

    use_get_stations_query = paginated_query_endpoint(item=Station, params=StationsListParams, url=PATH)
    use_get_station_query = query_endpoint(data=Station, params=RowParams, url=row_url(PATH))
