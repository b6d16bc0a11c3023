"""Charging sessions: one car at one charger, from plug to unplug."""

from __future__ import annotations

from typing import Final

from portal.query import ListParams, QueryGroup, RowParams, paginated_query_endpoint, query_endpoint
from portal.services.rows import Row, row_url

PATH: Final = "/energy/sessions"

#: Sort names of this list alone.
MOST_ENERGY_FIRST: Final = "-energyKwh"
HIGHEST_COST_FIRST: Final = "-cost"


class ChargingSession(Row, total=False):
    """A charging session; `cost` is a decimal in a string. `status`: active, completed, failed."""

    reference: str
    chargerId: str
    chargerName: str
    stationId: str
    stationName: str
    clientId: str | None
    clientName: str | None
    startedAt: str
    endedAt: str | None
    energyKwh: float
    cost: str
    currency: str
    status: str
    createdAt: str


class ChargingSessionsListParams(ListParams):
    """`sort`: also `name`, `startedAt`, `energyKwh`, `cost`. The others are exact matches."""

    charger_id: str | None = None
    client_id: str | None = None
    status: str | None = None


class ChargingSessionQueries(QueryGroup):
    """`use_get_charging_sessions_query` and `use_get_charging_session_query`."""

    use_get_charging_sessions_query = paginated_query_endpoint(
        item=ChargingSession, params=ChargingSessionsListParams, url=PATH
    )
    use_get_charging_session_query = query_endpoint(data=ChargingSession, params=RowParams, url=row_url(PATH))
