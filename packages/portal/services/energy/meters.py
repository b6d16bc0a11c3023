"""Meters: what a station draws from the grid."""

from datetime import datetime
from typing import Literal

from portal.query import CommonSort, ListParams, OpenEnum, QueryGroup, Record, Row, Values, resource


class MeterStatus(OpenEnum):
    """Whether it reports."""

    ONLINE = "online"
    OFFLINE = "offline"


class Meter(Row):
    """A meter."""

    serial: str = ""
    station_id: str = ""
    station_name: str = ""
    status: MeterStatus | None = None
    last_reading_kwh: float | None = None
    last_reading_at: datetime | None = None

    def __str__(self) -> str:
        return self.serial or self.id


class MeterReading(Record):
    """What the meter had counted at a time; it only grows."""

    read_at: datetime | None = None
    energy_kwh: float | None = None


class MeterDetail(Meter):
    """A meter with all its readings, oldest first."""

    readings: tuple[MeterReading, ...] = ()


class MetersListParams(ListParams):
    """A row has one of a filter's values. `…_from` and `…_to` limit a time, as ISO 8601: not before, and before."""

    sort: CommonSort | Literal["serial", "-serial"] | None = None
    station_id: Values | None = None
    status: Values | None = None
    created_at_from: str | None = None
    created_at_to: str | None = None


_meters = resource("/energy/meters", item=Meter, detail=MeterDetail, params=MetersListParams, optional=True)


class MeterQueries(QueryGroup):
    """`use_get_meters_query`, `use_get_meters_counts_query` and `use_get_meter_query`."""

    use_get_meters_query = _meters.list
    use_get_meters_counts_query = _meters.counts
    use_get_meter_query = _meters.detail
