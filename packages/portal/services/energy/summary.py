"""Figures for the overview of the energy platform."""

from datetime import date, datetime
from decimal import Decimal

from portal.query import Params, QueryGroup, Record, field, query_endpoint


class SummaryParams(Params):
    """`from_`: the period's first instant, ISO 8601; 30 days where it is missing. `to`: the first instant after the
    period. `time_zone`: whose days and hours count, `Europe/Berlin` say; else UTC.
    """

    from_: str | None = None
    to: str | None = None
    time_zone: str | None = None


class EnergyMonth(Record):
    """What was charged in a month; `month` is such as `2026-01`."""

    month: str = ""
    energy_kwh: float | None = None
    sessions: int | None = None


class EnergyHour(Record):
    """How many charging sessions began in an hour of the day (UTC), in the last 30 days."""

    hour: int | None = None
    sessions: int | None = None


class SummaryPeriod(Record):
    """The period that the figures are of. `step`: what a point of the series stands for, `day`, `week` or `month`."""

    start: datetime | None = None
    end: datetime | None = None
    time_zone: str = ""
    step: str = ""


class EnergyFigures(Record):
    """What was charged in a period."""

    energy_kwh: float | None = None
    sessions: int | None = None
    revenue: Decimal | None = None


class EnergyPoint(Record):
    """The same for a day, a week or a month, which begins at `start`; it may go on, or be cut by the period."""

    start: date | None = None
    is_under_way: bool = False
    is_cut: bool = False
    energy_kwh: float | None = None
    sessions: int | None = None
    revenue: Decimal | None = None


class EnergyLocalHour(Record):
    """How many sessions of the period began in an hour of the day, as the clocks at their stations show it."""

    hour: int | None = None
    sessions: int | None = None


class EnergySummary(Record):
    """The figures. `counts`: how many rows of each kind; months are the last twelve, oldest first; hours 0 to 23.

    `period` and what follows are of the period that was asked for; `before` and `series_before` of the one before.
    """

    counts: dict[str, int | None] = field(default_factory=dict)
    chargers_by_status: dict[str, int | None] = field(default_factory=dict)
    energy_by_month: tuple[EnergyMonth, ...] = ()
    sessions_by_hour: tuple[EnergyHour, ...] = ()
    currency: str = ""
    period: SummaryPeriod | None = None
    current: EnergyFigures | None = None
    before: EnergyFigures | None = None
    series: tuple[EnergyPoint, ...] = ()
    series_before: tuple[EnergyPoint, ...] = ()
    sessions_by_local_hour: tuple[EnergyLocalHour, ...] = ()


class EnergySummaryQueries(QueryGroup):
    """`use_get_summary_query`."""

    use_get_summary_query = query_endpoint(
        data=EnergySummary,
        params=SummaryParams,
        url="/energy/summary",
        optional=True,
    )
