"""The endpoints of the finance platform."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from sandbox_api.activity.views import RecordedRows
from sandbox_api.auth.permissions import FINANCE_APP
from sandbox_api.finance.models import Invoice
from sandbox_api.finance.serializers import InvoiceChangeRequest, InvoiceDetailSerializer, InvoiceSerializer
from sandbox_api.idempotency import idempotent
from sandbox_api.lists.spec import ListSpec
from sandbox_api.lists.views import DetailView, ListView, document_list
from sandbox_api.problems import Conflict

if TYPE_CHECKING:
    from rest_framework.request import Request

_NOT_OWED: Final = (Invoice.Status.DRAFT, Invoice.Status.PAID, Invoice.Status.CANCELLED)


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
        sums={"amount": "amount"},
    )


class InvoiceView(InvoiceRows, DetailView):
    """Read and change one invoice."""

    serializer_class = InvoiceDetailSerializer

    @extend_schema(request=InvoiceChangeRequest, responses=InvoiceDetailSerializer)
    @idempotent
    def patch(self, request: Request, row_id: str) -> Response:
        """Change the fields that are sent, and leave the others as they are."""
        form = InvoiceChangeRequest(self.get_row_to_change(request, row_id), data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        return Response(self.represent(form.save()))


class RemindersView(InvoiceRows):
    """Remind clients of an invoice."""

    serializer_class = InvoiceDetailSerializer

    @extend_schema(request=None, responses={HTTPStatus.CREATED: InvoiceDetailSerializer})
    @idempotent
    def post(self, request: Request, row_id: str) -> Response:
        """Remind the client once more. Nothing is sent from here: it is only counted."""
        invoice = self.get_row_to_change(request, row_id)
        if invoice.status in _NOT_OWED:
            raise Conflict("There is nothing to remind of.")
        invoice.reminder_count, invoice.reminded_at = invoice.reminder_count + 1, timezone.now()
        invoice.save()
        return Response(self.represent(invoice), status=HTTPStatus.CREATED)
