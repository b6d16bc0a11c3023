"""Figures for the overview of the operations platform."""

from __future__ import annotations

from datetime import date
from typing import Final

from portal.query import QueryGroup, Record, field, query_endpoint
from portal.services.summaries import SummaryParams, SummaryPeriod, SummaryPoint

#: The tag of queries of all domains that a change of a work order makes stale.
WORK_ORDERS: Final = "work-orders"


class WorkOrderMonth(Record):
    """How many work orders came and went in a month; `month` is such as `2026-01`."""

    created: int | None = None
    completed: int | None = None
    month: str = ""


class WorkOrderFigures(Record):
    """How many work orders came and went in a period."""

    created: int | None = None
    completed: int | None = None


class WorkOrderPoint(SummaryPoint):
    """The same for a part of the period."""

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
    period: SummaryPeriod | None = None
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
        params=SummaryParams,
        url="/operations/summary",
        tags=(WORK_ORDERS,),
        without="The overview shows no figures and no charts.",
    )
