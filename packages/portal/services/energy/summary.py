"""Figures for the overview of the energy platform."""

from __future__ import annotations

from typing import TypedDict

from portal.query import QueryGroup, query_endpoint


class EnergyCounts(TypedDict, total=False):
    """How many rows of each kind there are."""

    clients: int
    stations: int
    chargers: int
    sessions: int
    meters: int


class EnergyMonth(TypedDict, total=False):
    """What was charged in a month; `month` is such as `2026-01`."""

    month: str
    energyKwh: float
    sessions: int


class EnergyHour(TypedDict, total=False):
    """How many charging sessions began in an hour of the day (UTC), in the last 30 days."""

    hour: int
    sessions: int


class EnergySummary(TypedDict, total=False):
    """The figures; months are the last twelve, oldest first, hours 0 to 23."""

    counts: EnergyCounts
    chargersByStatus: dict[str, int]
    energyByMonth: list[EnergyMonth]
    sessionsByHour: list[EnergyHour]


class EnergySummaryQueries(QueryGroup):
    """`use_get_summary_query`."""

    use_get_summary_query = query_endpoint(data=EnergySummary, url="/energy/summary")
