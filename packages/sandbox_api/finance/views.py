"""The endpoints of the finance platform."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox_api.activity.views import RecordedRows
from sandbox_api.auth.permissions import FINANCE_APP
from sandbox_api.finance.models import Invoice
from sandbox_api.finance.serializers import InvoiceSerializer
from sandbox_api.lists.spec import ListSpec
from sandbox_api.lists.views import DetailView, ListView, document_list

if TYPE_CHECKING:
    from django.db.models import QuerySet


class InvoiceRows(RecordedRows):
    """All invoices."""

    required_permission = FINANCE_APP
    serializer_class = InvoiceSerializer

    def rows(self) -> QuerySet[Invoice]:
        """Give all invoices."""
        return Invoice.objects.all()


@document_list
class InvoicesView(InvoiceRows, ListView):
    """List invoices."""

    spec = ListSpec(
        resource="invoices",
        sorts={
            "createdAt": "created_at",
            "name": "number",
            "number": "number",
            "amount": "amount",
            "issuedAt": "issued_at",
            "dueAt": "due_at",
        },
        searched=("searched",),
        filters={"clientId": "client_id", "status": "status"},
        ranges={"issuedAt": "issued_at", "dueAt": "due_at", "paidAt": "paid_at"},
    )


class InvoiceView(InvoiceRows, DetailView):
    """Read one invoice."""
