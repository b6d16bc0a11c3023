"""Figures for the overview of the finance platform, counted by the database."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.db.models import Count, QuerySet, Sum
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from sandbox_api.api_view import ApiView
from sandbox_api.auth.permissions import FINANCE_APP
from sandbox_api.finance.models import Invoice
from sandbox_api.months import by_month, months_until
from sandbox_api.periods import (
    PERIOD_PARAMETERS,
    AgeSpan,
    Period,
    SummaryPeriod,
    SummaryPoint,
    ages,
    by_point,
    in_days,
    read_period,
)

if TYPE_CHECKING:
    from rest_framework.request import Request

CURRENCY = "EUR"
"""All invoices are in euros."""

_CENT = Decimal("0.01")
_NOT_OWED = (Invoice.Status.DRAFT, Invoice.Status.CANCELLED)
_OUTSTANDING = (Invoice.Status.SENT, Invoice.Status.OVERDUE)
_AGES = (30, 60, 90)


class AmountField(serializers.DecimalField):
    """A decimal in a string, with cents."""

    def __init__(self) -> None:
        super().__init__(max_digits=14, decimal_places=2)


class InvoiceStatusFigures(serializers.Serializer[Any]):
    """How many invoices have a status, and their amount."""

    status = serializers.ChoiceField(choices=Invoice.Status.choices)
    count = serializers.IntegerField()
    amount = AmountField()


class InvoiceFigures(serializers.Serializer[Any]):
    """What was invoiced and what was paid in a period."""

    invoiced = AmountField()
    paid = AmountField()


class InvoiceMonth(InvoiceFigures):
    """The same for a month."""

    month = serializers.CharField(help_text="Such as `2026-01`.")


class InvoicePoint(SummaryPoint, InvoiceFigures):
    """The same for a point of the series."""


class OutstandingFigures(serializers.Serializer[Any]):
    """What is not paid yet, what is overdue included."""

    count = serializers.IntegerField()
    amount = AmountField()


class OverdueAge(AgeSpan):
    """Overdue invoices by the day on which they were due."""

    amount = AmountField()


class FinanceSummary(serializers.Serializer[Any]):
    """The figures."""

    currency = serializers.CharField()
    total = serializers.IntegerField()
    byStatus = InvoiceStatusFigures(many=True)  # noqa: N815 - the wire's name
    byMonth = InvoiceMonth(many=True)  # noqa: N815 - the wire's name
    period = SummaryPeriod()
    current = InvoiceFigures()
    before = InvoiceFigures()
    series = InvoicePoint(many=True)
    seriesBefore = InvoicePoint(many=True)  # noqa: N815 - the wire's name
    outstanding = OutstandingFigures()
    overdueByAge = OverdueAge(many=True)  # noqa: N815 - the wire's name


def summarise_finance(*, now: datetime, period: Period | None = None) -> dict[str, Any]:
    """Count everything; what there is none of is there too, with zero."""
    period = period or read_period(query={}, now=now)
    current, series = _invoiced_and_paid(period)
    before, series_before = _invoiced_and_paid(period.before)
    rows = Invoice.objects.values_list("status").annotate(Count("id"), Sum("amount"))
    found = {status: (count, amount) for status, count, amount in rows}
    months = months_until(now=now)
    invoiced, paid = (by_month(rows, column, since=months[0], figure=Sum("amount")) for rows, column in _flows())
    return {
        "currency": CURRENCY,
        "total": sum(count for count, _ in found.values()),
        "byStatus": [
            {"status": status, "count": count, "amount": amount_text(amount)}
            for status in Invoice.Status.values
            for count, amount in [found.get(status, (0, Decimal(0)))]
        ],
        "byMonth": [
            {
                "month": str(month),
                "invoiced": amount_text(invoiced.get(month, Decimal(0))),
                "paid": amount_text(paid.get(month, Decimal(0))),
            }
            for month in months
        ],
        "period": period.described(),
        "current": current,
        "before": before,
        "series": series,
        "seriesBefore": series_before,
        "outstanding": _count_and_amount(Invoice.objects.filter(status__in=_OUTSTANDING)),
        "overdueByAge": [
            {"fromDay": span[0], "toDay": span[1]}
            | _count_and_amount(
                Invoice.objects.filter(status=Invoice.Status.OVERDUE, **in_days(period, "due_at", span))
            )
            for span in ages(period, _AGES)
        ],
    }


def _invoiced_and_paid(period: Period) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """The figures of a period, and its series."""
    invoiced, paid = (
        by_point(rows, column, period=period, figure=Sum("amount"), zero=Decimal(0)) for rows, column in _flows()
    )
    series = [
        point | {"invoiced": amount_text(invoiced[point["start"]]), "paid": amount_text(paid[point["start"]])}
        for point in period.points()
    ]
    sums = (sum(amounts.values(), Decimal(0)) for amounts in (invoiced, paid))
    return dict(zip(("invoiced", "paid"), map(amount_text, sums), strict=True)), series


def _flows() -> tuple[tuple[QuerySet[Invoice], str], tuple[QuerySet[Invoice], str]]:
    """What was invoiced and what was paid, each with the column that has its time."""
    invoiced = Invoice.objects.exclude(status__in=_NOT_OWED)
    paid = Invoice.objects.filter(status=Invoice.Status.PAID)
    return (invoiced, "issued_at"), (paid, "paid_at")


def _count_and_amount(invoices: QuerySet[Invoice]) -> dict[str, Any]:
    found = invoices.aggregate(count=Count("id"), amount=Sum("amount", default=Decimal(0)))
    return {"count": found["count"], "amount": amount_text(found["amount"])}


def amount_text(amount: Decimal) -> str:
    """An amount as it stands on the wire, with cents."""
    # SQLite sums in binary: the cents come back with rounding.
    return str(amount.quantize(_CENT))


class FinanceSummaryView(ApiView):
    """Figures for the overview."""

    required_permission = FINANCE_APP

    @extend_schema(parameters=PERIOD_PARAMETERS, responses=FinanceSummary)
    def get(self, request: Request) -> Response:
        """Give the figures as of now, and those of a period."""
        now = timezone.now()
        return Response(summarise_finance(now=now, period=read_period(query=request.query_params.dict(), now=now)))
