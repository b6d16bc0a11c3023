"""Figures for the overview of the finance platform. Amounts are decimals in strings."""

from __future__ import annotations

from typing import TypedDict

from portal.query import QueryGroup, query_endpoint


class InvoiceStatusFigures(TypedDict, total=False):
    """How many invoices have a status, and their amount."""

    status: str
    count: int
    amount: str


class InvoiceMonth(TypedDict, total=False):
    """What was invoiced and what was paid in a month; `month` is such as `2026-01`."""

    month: str
    invoiced: str
    paid: str


class FinanceSummary(TypedDict, total=False):
    """The figures; months are the last twelve, oldest first."""

    currency: str
    total: int
    byStatus: list[InvoiceStatusFigures]
    byMonth: list[InvoiceMonth]


class FinanceSummaryQueries(QueryGroup):
    """`use_get_summary_query`."""

    use_get_summary_query = query_endpoint(data=FinanceSummary, url="/finance/summary")
