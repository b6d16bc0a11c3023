"""Figures for the overview of the finance platform."""

from datetime import date, datetime
from decimal import Decimal

from portal.query import Params, QueryGroup, Record, query_endpoint
from portal.services.finance.invoices import InvoiceStatus


class FinanceSummaryParams(Params):
    """`from_`: the period's first instant, ISO 8601; 30 days where it is missing. `to`: the first instant after the
    period. `time_zone`: whose days and hours count, `Europe/Berlin` say; else UTC.
    """

    from_: str | None = None
    to: str | None = None
    time_zone: str | None = None


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


class FinanceSummaryPeriod(Record):
    """The period that the figures are of. `step`: what a point of the series stands for, `day`, `week` or `month`."""

    start: datetime | None = None
    end: datetime | None = None
    time_zone: str = ""
    step: str = ""


class InvoiceFigures(Record):
    """What was invoiced and what was paid in a period."""

    invoiced: Decimal | None = None
    paid: Decimal | None = None


class InvoicePoint(Record):
    """The same for a day, a week or a month, which begins at `start`; it may go on, or be cut by the period."""

    start: date | None = None
    is_under_way: bool = False
    is_cut: bool = False
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
    period: FinanceSummaryPeriod | None = None
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
        params=FinanceSummaryParams,
        url="/finance/summary",
        optional=True,
    )
