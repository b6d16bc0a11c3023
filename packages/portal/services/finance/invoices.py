"""Invoices. Amounts are decimals in strings."""

from __future__ import annotations

from typing import Final, TypedDict

from portal.query import ListParams, QueryGroup, RowParams, paginated_query_endpoint, query_endpoint
from portal.services.rows import Row, row_url

PATH: Final = "/finance/invoices"

#: Sort names of this list alone.
HIGHEST_AMOUNT_FIRST: Final = "-amount"


class InvoiceLine(TypedDict, total=False):
    """One line of an invoice."""

    description: str
    quantity: float
    unitPrice: str
    amount: str


class Invoice(Row, total=False):
    """An invoice."""

    number: str
    clientId: str | None
    clientName: str
    amount: str
    currency: str
    status: str
    issuedAt: str | None
    dueAt: str | None
    paidAt: str | None
    lines: list[InvoiceLine]
    createdAt: str


class InvoicesListParams(ListParams):
    """`sort`: also `number`, `amount`, `issuedAt`, `dueAt`. The others are exact matches."""

    client_id: str | None = None
    status: str | None = None


class InvoiceQueries(QueryGroup):
    """`use_get_invoices_query` and `use_get_invoice_query`."""

    use_get_invoices_query = paginated_query_endpoint(item=Invoice, params=InvoicesListParams, url=PATH)
    use_get_invoice_query = query_endpoint(data=Invoice, params=RowParams, url=row_url(PATH))
