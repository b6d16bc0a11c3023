"""Figures for the overview of the finance platform."""

from __future__ import annotations

from decimal import Decimal

from portal.query import QueryGroup, Record, query_endpoint
from portal.services.finance.invoices import InvoiceStatus


class InvoiceStatusFigures(Record):
    """How many invoices have a status, and their amount."""

    status: InvoiceStatus | None = None
    count: int | None = None
    amount: Decimal | None = None


class InvoiceMonth(Record):
    """What was invoiced and what was paid in a month; `month` is such as `2026-01`."""

    month: str = ""
    invoiced: Decimal | None = None
    paid: Decimal | None = None


class FinanceSummary(Record):
    """The figures; months are the last twelve, oldest first."""

    currency: str = ""
    total: int | None = None
    by_status: tuple[InvoiceStatusFigures, ...] = ()
    by_month: tuple[InvoiceMonth, ...] = ()


class FinanceSummaryQueries(QueryGroup):
    """`use_get_summary_query`."""

    use_get_summary_query = query_endpoint(data=FinanceSummary, url="/finance/summary")
