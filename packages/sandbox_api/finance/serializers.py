"""How invoices stand on the wire."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from sandbox_api.camel_case import CamelCaseSerializer
from sandbox_api.finance.models import Invoice


class InvoiceLineSerializer(serializers.Serializer[Any]):
    """One line of an invoice."""

    description = serializers.CharField()
    quantity = serializers.FloatField()
    unitPrice = serializers.DecimalField(max_digits=12, decimal_places=2)  # noqa: N815 - the wire's name
    vatRate = serializers.DecimalField(max_digits=5, decimal_places=2)  # noqa: N815 - the wire's name
    amount = serializers.DecimalField(max_digits=12, decimal_places=2)


class InvoiceSerializer(CamelCaseSerializer[Invoice]):
    """An invoice. Amounts are decimals in strings; `amount` is `netAmount` and `vatAmount` together."""

    client_id = serializers.CharField(read_only=True, allow_null=True)
    lines = InvoiceLineSerializer(many=True, read_only=True)

    class Meta:
        model = Invoice
        fields = (
            "id",
            "number",
            "client_id",
            "client_name",
            "amount",
            "net_amount",
            "vat_amount",
            "currency",
            "status",
            "issued_at",
            "due_at",
            "paid_at",
            "lines",
            "created_at",
        )
