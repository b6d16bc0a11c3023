"""Stations: places with chargers."""

from typing import Literal

from portal.query import CommonSort, ListParams, OpenEnum, QueryGroup, Record, Row, Values, query_endpoint, resource


class StationStatus(OpenEnum):
    """Whether people can charge there."""

    ACTIVE = "active"
    MAINTENANCE = "maintenance"
    PLANNED = "planned"


class StationHealth(OpenEnum):
    """The worst of what its chargers and meters say."""

    OK = "ok"
    OFFLINE = "offline"
    FAULT = "fault"


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
    health: StationHealth | None = None
    faulted_chargers: int | None = None
    offline_meters: int | None = None

    def __str__(self) -> str:
        return self.name or self.id


class StationPosition(Record):
    """Where a station is, and how it is. Degrees, north and east."""

    id: str = ""
    name: str = ""
    city: str = ""
    latitude: float | None = None
    longitude: float | None = None
    status: StationStatus | None = None
    health: StationHealth | None = None


class StationPositions(Record):
    """All stations."""

    stations: tuple[StationPosition, ...] = ()


class StationsListParams(ListParams):
    """A row has one of a filter's values. `…_from` and `…_to` limit a time, as ISO 8601: not before, and before."""

    sort: CommonSort | Literal["city", "-city"] | None = None
    city: Values | None = None
    country: Values | None = None
    status: Values | None = None
    health: Values | None = None
    created_at_from: str | None = None
    created_at_to: str | None = None


_stations = resource("/energy/stations", item=Station, params=StationsListParams, optional=True)


class StationQueries(QueryGroup):
    """`use_get_stations_query`, `…_counts_query`, `use_get_station_query` and `use_get_station_positions_query`."""

    use_get_stations_query = _stations.list
    use_get_stations_counts_query = _stations.counts
    use_get_station_query = _stations.detail
    use_get_station_positions_query = query_endpoint(
        data=StationPositions, url="/energy/stations/positions", optional=True
    )
