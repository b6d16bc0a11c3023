"""Figures for the overview of the energy platform."""

from __future__ import annotations

from portal.query import QueryGroup, Record, field, query_endpoint


class EnergyMonth(Record):
    """What was charged in a month; `month` is such as `2026-01`."""

    month: str = ""
    energy_kwh: float | None = None
    sessions: int | None = None


class EnergyHour(Record):
    """How many charging sessions began in an hour of the day (UTC), in the last 30 days."""

    hour: int | None = None
    sessions: int | None = None


class EnergySummary(Record):
    """The figures. `counts`: how many rows of each kind; months are the last twelve, oldest first; hours 0 to 23."""

    counts: dict[str, int | None] = field(default_factory=dict)
    chargers_by_status: dict[str, int | None] = field(default_factory=dict)
    energy_by_month: tuple[EnergyMonth, ...] = ()
    sessions_by_hour: tuple[EnergyHour, ...] = ()


class EnergySummaryQueries(QueryGroup):
    """`use_get_summary_query`."""

    use_get_summary_query = query_endpoint(data=EnergySummary, url="/energy/summary")
