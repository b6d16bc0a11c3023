"""Chargers: the charging points of a station."""

from __future__ import annotations

from typing import Final

from portal.query import ListParams, QueryGroup, RowParams, paginated_query_endpoint, query_endpoint
from portal.services.rows import Row, row_url

PATH: Final = "/energy/chargers"

#: Sort names of this list alone.
MOST_POWER_FIRST: Final = "-maxPowerKw"


class Charger(Row, total=False):
    """A charging point. `connector`: type2, ccs, chademo; `status`: available, charging, faulted, unavailable."""

    name: str
    stationId: str
    stationName: str
    model: str
    connector: str
    maxPowerKw: float
    status: str
    createdAt: str


class ChargersListParams(ListParams):
    """`sort`: also `name`, `maxPowerKw`. The others are exact matches."""

    station_id: str | None = None
    connector: str | None = None
    status: str | None = None


class ChargerQueries(QueryGroup):
    """`use_get_chargers_query` and `use_get_charger_query`."""

    use_get_chargers_query = paginated_query_endpoint(item=Charger, params=ChargersListParams, url=PATH)
    use_get_charger_query = query_endpoint(data=Charger, params=RowParams, url=row_url(PATH))
