"""Stations: places with chargers."""

from __future__ import annotations

from portal.query import ListParams, OpenEnum, QueryGroup, Row, resource


class StationStatus(OpenEnum):
    """Whether people can charge there."""

    ACTIVE = "active"
    MAINTENANCE = "maintenance"
    PLANNED = "planned"


class Station(Row):
    """A place with chargers. `country`: ISO 3166-1, two letters."""

    name: str = ""
    address: str = ""
    city: str = ""
    country: str = ""
    latitude: float | None = None
    longitude: float | None = None
    status: StationStatus | None = None
    charger_count: int | None = None

    def __str__(self) -> str:
        return self.name or self.id


class StationsListParams(ListParams):
    """`sort`: also `name`, `city`. The others are exact matches."""

    city: str | None = None
    country: str | None = None
    status: str | None = None


_stations = resource("/energy/stations", item=Station, params=StationsListParams)


class StationQueries(QueryGroup):
    """`use_get_stations_query` and `use_get_station_query`."""

    use_get_stations_query = _stations.list
    use_get_station_query = _stations.detail
