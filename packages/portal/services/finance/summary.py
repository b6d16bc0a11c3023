"""Figures for the overview of the finance platform."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from portal.query import QueryGroup, Record, query_endpoint
from portal.services.finance.invoices import InvoiceStatus
from portal.services.summaries import SummaryParams, SummaryPeriod, SummaryPoint


class InvoiceStatusFigures(Record):
    """How many invoices have a status, and their amount."""

    status: InvoiceStatus | None = None
    count: int | None = None
    amount: Decimal | None = None


class InvoiceMonth(Record):
    """What was invoiced and what was paid in a month; `month` is such as `2026-01`."""

    invoiced: Decimal | None = None
    paid: Decimal | None = None
    month: str = ""


class InvoiceFigures(Record):
    """What was invoiced and what was paid in a period."""

    invoiced: Decimal | None = None
    paid: Decimal | None = None


class InvoicePoint(SummaryPoint):
    """The same for a part of the period."""

    invoiced: Decimal | None = None
    paid: Decimal | None = None


class OutstandingFigures(Record):
    """What is not paid yet, what is overdue included."""

    count: int | None = None
    amount: Decimal | None = None


class OverdueAge(Record):
    """Overdue invoices by the day on which they were due."""

    from_day: date | None = None
    to_day: date | None = None
    count: int | None = None
    amount: Decimal | None = None


class FinanceSummary(Record):
    """The figures; months are the last twelve, oldest first. `before`, `series_before`: of the period before."""

    currency: str = ""
    total: int | None = None
    by_status: tuple[InvoiceStatusFigures, ...] = ()
    by_month: tuple[InvoiceMonth, ...] = ()
    period: SummaryPeriod | None = None
    current: InvoiceFigures | None = None
    before: InvoiceFigures | None = None
    series: tuple[InvoicePoint, ...] = ()
    series_before: tuple[InvoicePoint, ...] = ()
    outstanding: OutstandingFigures | None = None
    overdue_by_age: tuple[OverdueAge, ...] = ()


class FinanceSummaryQueries(QueryGroup):
    """`use_get_summary_query`."""

    use_get_summary_query = query_endpoint(
        data=FinanceSummary,
        params=SummaryParams,
        url="/finance/summary",
        without="The overview shows no figures and no charts.",
    )
