"""Chargers: the charging points of a station."""

from typing import Final, Literal

from portal.query import CommonSort, ListParams, OpenEnum, QueryGroup, Row, Values, resource

#: Sort names of this list alone.
MOST_POWER_FIRST: Final = "-maxPowerKw"


class ChargerConnector(OpenEnum):
    """Its plug."""

    TYPE2 = "type2"
    CCS = "ccs"
    CHADEMO = "chademo"


class ChargerStatus(OpenEnum):
    """What it does now."""

    AVAILABLE = "available"
    CHARGING = "charging"
    FAULTED = "faulted"
    UNAVAILABLE = "unavailable"


class Charger(Row):
    """A charging point."""

    name: str = ""
    station_id: str = ""
    station_name: str = ""
    model: str = ""
    connector: ChargerConnector | None = None
    max_power_kw: float | None = None
    status: ChargerStatus | None = None

    def __str__(self) -> str:
        return self.name or self.id


class ChargersListParams(ListParams):
    """A row has one of a filter's values. `…_from` and `…_to` limit a time, as ISO 8601: not before, and before."""

    sort: CommonSort | Literal["maxPowerKw", "-maxPowerKw"] | None = None
    station_id: Values | None = None
    connector: Values | None = None
    status: Values | None = None
    created_at_from: str | None = None
    created_at_to: str | None = None


_chargers = resource("/energy/chargers", item=Charger, params=ChargersListParams, optional=True)


class ChargerQueries(QueryGroup):
    """`use_get_chargers_query`, `use_get_chargers_counts_query` and `use_get_charger_query`."""

    use_get_chargers_query = _chargers.list
    use_get_chargers_counts_query = _chargers.counts
    use_get_charger_query = _chargers.detail
