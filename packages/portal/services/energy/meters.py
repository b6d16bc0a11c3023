"""Meters: what a station draws from the grid."""

from __future__ import annotations

from typing import Final, TypedDict

from portal.query import ListParams, QueryGroup, RowParams, paginated_query_endpoint, query_endpoint
from portal.services.rows import Row, row_url

PATH: Final = "/energy/meters"


class Meter(Row, total=False):
    """A meter. `status`: online, offline."""

    serial: str
    stationId: str
    stationName: str
    status: str
    lastReadingKwh: float | None
    lastReadingAt: str | None
    createdAt: str


class MeterReading(TypedDict, total=False):
    """What the meter had counted at a time; it only grows."""

    readAt: str
    energyKwh: float


class MeterDetail(Meter, total=False):
    """A meter with all its readings, oldest first."""

    readings: list[MeterReading]


class MetersListParams(ListParams):
    """`sort`: also `name`, `serial`. The others are exact matches."""

    station_id: str | None = None
    status: str | None = None


class MeterQueries(QueryGroup):
    """`use_get_meters_query` and `use_get_meter_query`."""

    use_get_meters_query = paginated_query_endpoint(item=Meter, params=MetersListParams, url=PATH)
    use_get_meter_query = query_endpoint(data=MeterDetail, params=RowParams, url=row_url(PATH))
