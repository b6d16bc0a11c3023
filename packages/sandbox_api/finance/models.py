"""Invoices."""

from functools import partial
from typing import ClassVar

from django.db import models
from django.utils import timezone

from sandbox_api.energy.models import Client
from sandbox_api.folding import FoldedField
from sandbox_api.ids import MAX_ID_LENGTH, new_id
from sandbox_api.versions import VersionedModel


class Invoice(VersionedModel):
    """What a client owes, or has paid."""

    class Status(models.TextChoices):
        """How far it is."""

        DRAFT = "draft"
        SENT = "sent"
        PAID = "paid"
        OVERDUE = "overdue"
        CANCELLED = "cancelled"

    id = models.CharField(primary_key=True, max_length=MAX_ID_LENGTH, default=partial(new_id, "inv"))
    number = models.CharField(max_length=40, unique=True)
    client = models.ForeignKey(Client, on_delete=models.SET_NULL, null=True, blank=True, related_name="invoices")
    """`None` where the client was deleted; the invoice has to be kept."""
    former_client = models.ForeignKey(
        Client, on_delete=models.SET_NULL, null=True, blank=True, related_name="former_invoices"
    )
    """The deleted client, which may be restored."""
    client_name = models.CharField(max_length=200)
    """As it stood when the invoice was written."""
    client_address = models.TextField(blank=True, default="")
    """As it stands on a letter, in lines."""
    client_vat_id = models.CharField(max_length=40, null=True, blank=True)  # noqa: DJ001 - null on the wire too
    amount = models.DecimalField(max_digits=12, decimal_places=2)
    """The sum of the lines, tax included."""
    net_amount = models.DecimalField(max_digits=12, decimal_places=2)
    vat_amount = models.DecimalField(max_digits=12, decimal_places=2)
    currency = models.CharField(max_length=3, default="EUR")
    status = models.CharField(max_length=20, choices=Status.choices)
    issued_at = models.DateTimeField()
    due_at = models.DateTimeField()
    paid_at = models.DateTimeField(null=True, blank=True)
    """Set while the status is `paid`."""
    reminder_count = models.PositiveSmallIntegerField(default=0)
    reminded_at = models.DateTimeField(null=True, blank=True)
    lines = models.JSONField(default=list)
    """`[{"description", "quantity", "unitPrice", "vatRate", "amount"}]`: prices, tax included, and the rate in percent,
    as decimals in strings."""
    created_at = models.DateTimeField(default=timezone.now)
    searched = FoldedField(sources=("number", "client_name"))

    class Meta:
        indexes: ClassVar = [models.Index(fields=["-created_at", "-id"], name="invoice_newest")]

    def __str__(self) -> str:
        return self.number
