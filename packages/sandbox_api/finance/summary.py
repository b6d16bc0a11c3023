"""Figures for the overview of the finance platform, counted by the database."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Sum
from django.db.models.functions import TruncMonth
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from sandbox_api.api_view import ApiView
from sandbox_api.auth.permissions import FINANCE_APP
from sandbox_api.finance.models import Invoice
from sandbox_api.months import Month, month_of, months_until

if TYPE_CHECKING:
    from datetime import datetime

    from django.db.models import QuerySet
    from rest_framework.request import Request

CURRENCY = "EUR"
"""All invoices are in euros."""

_CENT = Decimal("0.01")
_NOT_OWED = (Invoice.Status.DRAFT, Invoice.Status.CANCELLED)


class AmountField(serializers.DecimalField):
    """A decimal in a string, with cents."""

    def __init__(self) -> None:
        super().__init__(max_digits=14, decimal_places=2)


class InvoiceStatusFigures(serializers.Serializer[Any]):
    """How many invoices have a status, and their amount."""

    status = serializers.ChoiceField(choices=Invoice.Status.choices)
    count = serializers.IntegerField()
    amount = AmountField()


class InvoiceMonth(serializers.Serializer[Any]):
    """What was invoiced and what was paid in a month."""

    month = serializers.CharField(help_text="Such as `2026-01`.")
    invoiced = AmountField()
    paid = AmountField()


class FinanceSummary(serializers.Serializer[Any]):
    """The figures."""

    currency = serializers.CharField()
    total = serializers.IntegerField()
    byStatus = InvoiceStatusFigures(many=True)  # noqa: N815 - the wire's name
    byMonth = InvoiceMonth(many=True)  # noqa: N815 - the wire's name


def summarise_finance(*, now: datetime) -> dict[str, Any]:
    """Count everything; what there is none of is there too, with zero."""
    rows = Invoice.objects.values_list("status").annotate(Count("id"), Sum("amount"))
    found = {status: (count, amount) for status, count, amount in rows}
    months = months_until(now=now)
    invoiced = _by_month(Invoice.objects.exclude(status__in=_NOT_OWED), "issued_at", months[0])
    paid = _by_month(Invoice.objects.filter(status=Invoice.Status.PAID), "paid_at", months[0])
    return {
        "currency": CURRENCY,
        "total": sum(count for count, _ in found.values()),
        "byStatus": [
            {"status": status, "count": count, "amount": _text(amount)}
            for status in Invoice.Status.values
            for count, amount in [found.get(status, (0, Decimal(0)))]
        ],
        "byMonth": [
            {
                "month": str(month),
                "invoiced": _text(invoiced.get(month, Decimal(0))),
                "paid": _text(paid.get(month, Decimal(0))),
            }
            for month in months
        ],
    }


def _by_month(invoices: QuerySet[Invoice], column: str, first: Month) -> dict[Month, Decimal]:
    rows = invoices.filter(**{f"{column}__gte": first.start}).values_list(TruncMonth(column)).annotate(Sum("amount"))
    return {month_of(start): amount for start, amount in rows}


def _text(amount: Decimal) -> str:
    # SQLite sums in binary: the cents come back with rounding.
    return str(amount.quantize(_CENT))


class FinanceSummaryView(ApiView):
    """Figures for the overview."""

    required_permission = FINANCE_APP

    @extend_schema(responses=FinanceSummary)
    def get(self, request: Request) -> Response:  # noqa: ARG002 - the framework's signature
        """Give the figures as of now."""
        return Response(summarise_finance(now=timezone.now()))
