"""Figures for the overview of the operations platform."""

from datetime import date, datetime
from typing import Final

from portal.query import Params, QueryGroup, Record, field, query_endpoint

#: The tag of queries of all domains that a change of a work order makes stale.
WORK_ORDERS: Final = "work-orders"


class OperationsSummaryParams(Params):
    """`from_`: the period's first instant, ISO 8601; 30 days where it is missing. `to`: the first instant after the
    period. `time_zone`: whose days and hours count, `Europe/Berlin` say; else UTC.
    """

    from_: str | None = None
    to: str | None = None
    time_zone: str | None = None


class WorkOrderMonth(Record):
    """How many work orders came and went in a month; `month` is such as `2026-01`."""

    created: int | None = None
    completed: int | None = None
    month: str = ""


class OperationsSummaryPeriod(Record):
    """The period that the figures are of. `step`: what a point of the series stands for, `day`, `week` or `month`."""

    start: datetime | None = None
    end: datetime | None = None
    time_zone: str = ""
    step: str = ""


class WorkOrderFigures(Record):
    """How many work orders came and went in a period."""

    created: int | None = None
    completed: int | None = None


class WorkOrderPoint(Record):
    """The same for a day, a week or a month, which begins at `start`; it may go on, or be cut by the period."""

    start: date | None = None
    is_under_way: bool = False
    is_cut: bool = False
    created: int | None = None
    completed: int | None = None


class AgeSpan(Record):
    """The days of one age, both inclusive; `from_day` is None for the oldest, `to_day` for the youngest."""

    from_day: date | None = None
    to_day: date | None = None
    count: int | None = None


class OperationsSummary(Record):
    """The figures; months are the last twelve, oldest first. `before`, `series_before`: of the period before."""

    total: int | None = None
    by_status: dict[str, int | None] = field(default_factory=dict)
    unfinished_by_priority: dict[str, int | None] = field(default_factory=dict)
    by_month: tuple[WorkOrderMonth, ...] = ()
    period: OperationsSummaryPeriod | None = None
    current: WorkOrderFigures | None = None
    before: WorkOrderFigures | None = None
    series: tuple[WorkOrderPoint, ...] = ()
    series_before: tuple[WorkOrderPoint, ...] = ()
    late: AgeSpan | None = None
    unfinished_by_age: tuple[AgeSpan, ...] = ()


class OperationsSummaryQueries(QueryGroup):
    """`use_get_summary_query`."""

    use_get_summary_query = query_endpoint(
        data=OperationsSummary,
        params=OperationsSummaryParams,
        url="/operations/summary",
        tags=(WORK_ORDERS,),
        optional=True,
    )
