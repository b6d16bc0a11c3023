"""How invoices stand on the wire."""

from typing import Any, Final

from django.utils import timezone
from rest_framework import serializers

from sandbox_api.camel_case import CamelCaseSerializer
from sandbox_api.finance.models import Invoice
from sandbox_api.operations.serializers import not_in_the_future

SELLER: Final = {
    "name": "Nordlicht Charging GmbH",
    "address": "Chausseestraße 84\n10115 Berlin\nDeutschland",
    "vatId": "DE123456789",
    "iban": "DE89370400440532013000",
    "bic": "COBADEFFXXX",
    "email": "billing@nordlicht.example",
}
"""Whose invoices these are. The account is the example of the IBAN's registry."""
_OWED: Final = (Invoice.Status.SENT, Invoice.Status.OVERDUE)


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
        fields: tuple[str, ...] = (
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
            "version",
        )


class SellerSerializer(serializers.Serializer[Any]):
    """Who has written an invoice. `address` has several lines."""

    name = serializers.CharField()
    address = serializers.CharField()
    vatId = serializers.CharField()  # noqa: N815 - the wire's name
    iban = serializers.CharField()
    bic = serializers.CharField()
    email = serializers.EmailField()


class InvoiceDetailSerializer(InvoiceSerializer):
    """An invoice with all that stands on paper, and how often its client was reminded."""

    seller = SellerSerializer(read_only=True, default=SELLER)

    class Meta(InvoiceSerializer.Meta):
        fields = (
            *InvoiceSerializer.Meta.fields,
            "seller",
            "client_address",
            "client_vat_id",
            "reminder_count",
            "reminded_at",
        )


class InvoiceChangeRequest(CamelCaseSerializer[Invoice]):
    """`{"status"?, "paidAt"?}`."""

    paid_at = serializers.DateTimeField(required=False, allow_null=True, validators=[not_in_the_future])

    class Meta:
        model = Invoice
        fields = ("status", "paid_at")

    def update(self, instance: Invoice, validated_data: dict[str, Any]) -> Invoice:
        """Change it, keep the time of payment with the status, and tell what is overdue by the time.

        Who says only that it is paid says that it is paid now; who says only when, says that it was paid then.
        """
        said = validated_data.get("paid_at")
        status = validated_data.get("status") or (Invoice.Status.PAID if said else instance.status)
        if status in _OWED:
            status = Invoice.Status.OVERDUE if instance.due_at < timezone.now() else Invoice.Status.SENT
        paid_at = (said or instance.paid_at or timezone.now()) if status == Invoice.Status.PAID else None
        return super().update(instance, {"status": status, "paid_at": paid_at})
