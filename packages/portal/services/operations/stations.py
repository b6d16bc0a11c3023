"""Stations, as those need them who may not open the energy platform: to choose one."""

from __future__ import annotations

from typing import Literal

from portal.query import CommonSort, ListParams, QueryGroup, Row, Values, resource


class OperationsStation(Row):
    """A station."""

    name: str = ""
    city: str = ""

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
    without={
        "list": "No station can be chosen for a work order.",
        "detail": "The form of a work order does not name the station that was chosen before.",
    },
)


class OperationsStationQueries(QueryGroup):
    """`use_get_operations_stations_query` and `use_get_operations_station_query`."""

    use_get_operations_stations_query = _operations_stations.list
    use_get_operations_station_query = _operations_stations.detail
