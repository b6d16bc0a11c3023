"""Figures for the overview of the operations platform."""

from __future__ import annotations

from typing import TypedDict

from portal.query import QueryGroup, query_endpoint


class WorkOrderMonth(TypedDict, total=False):
    """How many work orders came and went in a month; `month` is such as `2026-01`."""

    month: str
    created: int
    completed: int


class OperationsSummary(TypedDict, total=False):
    """The figures; months are the last twelve, oldest first."""

    total: int
    byStatus: dict[str, int]
    unfinishedByPriority: dict[str, int]
    byMonth: list[WorkOrderMonth]


class OperationsSummaryQueries(QueryGroup):
    """`use_get_summary_query`."""

    use_get_summary_query = query_endpoint(data=OperationsSummary, url="/operations/summary")
