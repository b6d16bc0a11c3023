"""Charging sessions: one car at one charger, from plug to unplug."""

from datetime import datetime
from decimal import Decimal
from typing import Final, Literal

from portal.query import CommonSort, ListParams, OpenEnum, QueryGroup, Row, Values, resource

#: Sort names of this list alone.
MOST_ENERGY_FIRST: Final = "-energyKwh"
HIGHEST_COST_FIRST: Final = "-cost"


class ChargingSessionStatus(OpenEnum):
    """How it went."""

    ACTIVE = "active"
    COMPLETED = "completed"
    FAILED = "failed"


class ChargingSession(Row):
    """A charging session. `currency`: ISO 4217."""

    reference: str = ""
    charger_id: str = ""
    charger_name: str = ""
    station_id: str = ""
    station_name: str = ""
    client_id: str | None = None
    client_name: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    energy_kwh: float | None = None
    cost: Decimal | None = None
    currency: str = ""
    status: ChargingSessionStatus | None = None

    def __str__(self) -> str:
        return self.reference or self.id


class ChargingSessionsListParams(ListParams):
    """A row has one of a filter's values. `…_from` and `…_to` limit a time, as ISO 8601: not before, and before."""

    sort: CommonSort | Literal["cost", "-cost", "energyKwh", "-energyKwh", "startedAt", "-startedAt"] | None = None
    station_id: Values | None = None
    charger_id: Values | None = None
    client_id: Values | None = None
    status: Values | None = None
    started_at_from: str | None = None
    started_at_to: str | None = None


_sessions = resource("/energy/sessions", item=ChargingSession, params=ChargingSessionsListParams, optional=True)


class ChargingSessionQueries(QueryGroup):
    """`use_get_charging_sessions_query`, its counts and its totals, `use_get_charging_session_query`."""

    use_get_charging_sessions_query = _sessions.list
    use_get_charging_sessions_counts_query = _sessions.counts
    use_get_charging_sessions_totals_query = _sessions.totals
    use_get_charging_session_query = _sessions.detail
