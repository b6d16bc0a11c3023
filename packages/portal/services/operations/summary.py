"""Figures for the overview of the operations platform."""

from __future__ import annotations

from portal.query import QueryGroup, Record, field, query_endpoint


class WorkOrderMonth(Record):
    """How many work orders came and went in a month; `month` is such as `2026-01`."""

    month: str = ""
    created: int | None = None
    completed: int | None = None


class OperationsSummary(Record):
    """The figures; months are the last twelve, oldest first."""

    total: int | None = None
    by_status: dict[str, int | None] = field(default_factory=dict)
    unfinished_by_priority: dict[str, int | None] = field(default_factory=dict)
    by_month: tuple[WorkOrderMonth, ...] = ()


class OperationsSummaryQueries(QueryGroup):
    """`use_get_summary_query`."""

    use_get_summary_query = query_endpoint(data=OperationsSummary, url="/operations/summary")
