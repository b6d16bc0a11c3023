"""Invoices."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Final

from portal.query import ListParams, OpenEnum, QueryGroup, Record, Row, resource

#: Sort names of this list alone.
HIGHEST_AMOUNT_FIRST: Final = "-amount"


class InvoiceStatus(OpenEnum):
    """How far it is."""

    DRAFT = "draft"
    SENT = "sent"
    PAID = "paid"
    OVERDUE = "overdue"
    CANCELLED = "cancelled"


class InvoiceLine(Record):
    """One line of an invoice."""

    description: str = ""
    quantity: float | None = None
    unit_price: Decimal | None = None
    amount: Decimal | None = None


class Invoice(Row):
    """An invoice. `currency`: ISO 4217."""

    number: str = ""
    client_id: str | None = None
    client_name: str = ""
    amount: Decimal | None = None
    currency: str = ""
    status: InvoiceStatus | None = None
    issued_at: datetime | None = None
    due_at: datetime | None = None
    paid_at: datetime | None = None
    lines: tuple[InvoiceLine, ...] = ()

    def __str__(self) -> str:
        return self.number or self.id


class InvoicesListParams(ListParams):
    """`sort`: also `number`, `amount`, `issuedAt`, `dueAt`. The others are exact matches."""

    client_id: str | None = None
    status: str | None = None


_invoices = resource("/finance/invoices", item=Invoice, params=InvoicesListParams)


class InvoiceQueries(QueryGroup):
    """`use_get_invoices_query` and `use_get_invoice_query`."""

    use_get_invoices_query = _invoices.list
    use_get_invoice_query = _invoices.detail
