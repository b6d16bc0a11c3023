"""Invoices."""

from datetime import datetime
from decimal import Decimal
from typing import Final, Literal

from portal.config.contract_names import VERSION_FIELD
from portal.query import (
    CommonSort,
    ListParams,
    MutationGroup,
    OpenEnum,
    QueryGroup,
    Record,
    Row,
    RowParams,
    Values,
    field,
    mutation_endpoint,
    resource,
    same_params,
)

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
    """One line of an invoice. Price and amount include the tax; `vat_rate`: percent."""

    description: str = ""
    quantity: float | None = None
    unit_price: Decimal | None = None
    vat_rate: Decimal | None = None
    amount: Decimal | None = None


class Invoice(Row):
    """An invoice. `currency`: ISO 4217; `amount`: the sum of the lines, which is `net_amount` and `vat_amount`."""

    number: str = ""
    client_id: str | None = None
    client_name: str = ""
    amount: Decimal | None = None
    net_amount: Decimal | None = None
    vat_amount: Decimal | None = None
    currency: str = ""
    status: InvoiceStatus | None = None
    issued_at: datetime | None = None
    due_at: datetime | None = None
    paid_at: datetime | None = None
    lines: tuple[InvoiceLine, ...] = ()
    version: int | None = field(default=None, name=VERSION_FIELD)

    def __str__(self) -> str:
        return self.number or self.id


class Seller(Record):
    """Who has written the invoice. `address` has several lines."""

    name: str = ""
    address: str = ""
    vat_id: str = ""
    iban: str = ""
    bic: str = ""
    email: str = ""


class InvoiceDetail(Invoice):
    """A single invoice: with what stands on paper, and how often its client was reminded."""

    seller: Seller | None = None
    client_address: str = ""
    client_vat_id: str | None = None
    reminder_count: int | None = None
    reminded_at: datetime | None = None


class InvoicesListParams(ListParams):
    """A row has one of a filter's values. `…_from` and `…_to` limit a time, as ISO 8601: not before, and before."""

    sort: (
        CommonSort
        | Literal["amount", "-amount", "dueAt", "-dueAt", "issuedAt", "-issuedAt", "number", "-number"]
        | None
    ) = None
    client_id: Values | None = None
    status: Values | None = None
    issued_at_from: str | None = None
    issued_at_to: str | None = None
    due_at_from: str | None = None
    due_at_to: str | None = None
    paid_at_from: str | None = None
    paid_at_to: str | None = None


_invoices = resource(
    "/finance/invoices",
    item=Invoice,
    detail=InvoiceDetail,
    params=InvoicesListParams,
    optional=True,
    invalidates=["finance.get_summary"],
)


class InvoiceQueries(QueryGroup):
    """`use_get_invoices_query`, with its counts and its totals; `use_get_invoice_query`, with its activity."""

    use_get_invoices_query = _invoices.list
    use_get_invoices_counts_query = _invoices.counts
    use_get_invoices_totals_query = _invoices.totals
    use_get_invoice_query = _invoices.detail
    use_get_invoice_activity_query = _invoices.activity


class InvoiceMutations(MutationGroup):
    """`use_update_invoice_mutation`, `use_note_invoice_mutation` and `use_remind_of_invoice_mutation`."""

    use_update_invoice_mutation = _invoices.update
    use_note_invoice_mutation = _invoices.note
    use_remind_of_invoice_mutation = (
        mutation_endpoint(
            data=InvoiceDetail,
            params=RowParams,
            url="/finance/invoices/{id}/reminders",
            method="POST",
            optional=True,
        )
        .set_answer(query_key=InvoiceQueries.use_get_invoice_query)
        .invalidates(query_key=InvoiceQueries.use_get_invoices_query)
        .invalidates(query_key=InvoiceQueries.use_get_invoice_activity_query, get_params=same_params)
    )
