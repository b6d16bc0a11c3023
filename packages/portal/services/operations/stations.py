"""Stations, as those need them who may not open the energy platform: to choose one."""

from typing import Literal

from portal.query import CommonSort, ListParams, QueryGroup, Row, Values, resource


class OperationsStation(Row):
    """A station. `country`: ISO 3166-1, two letters."""

    name: str = ""
    address: str = ""
    city: str = ""
    country: str = ""
    latitude: float | None = None
    longitude: float | None = None

    def __str__(self) -> str:
        return self.name or self.id


class OperationsStationsListParams(ListParams):
    """A row has one of the values of `city`."""

    sort: CommonSort | Literal["city", "-city"] | None = None
    city: Values | None = None


_operations_stations = resource(
    "/operations/stations",
    item=OperationsStation,
    params=OperationsStationsListParams,
    optional=True,
)


class OperationsStationQueries(QueryGroup):
    """`use_get_operations_stations_query` and `use_get_operations_station_query`."""

    use_get_operations_stations_query = _operations_stations.list
    use_get_operations_station_query = _operations_stations.detail
