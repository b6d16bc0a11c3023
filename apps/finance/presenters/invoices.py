"""An invoice as the pages show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy as _

from portal.config.wire_names import ID_FIELD
from portal.web.present import Badge, badge_for, datetime_of, decimal_of, number_of, objects_of, text_of, texts_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from decimal import Decimal

STATUSES: Final = {
    "draft": Badge(label=_("Draft")),
    "sent": Badge(label=_("Sent"), tone="info"),
    "paid": Badge(label=_("Paid"), tone="good"),
    "overdue": Badge(label=_("Overdue"), tone="bad"),
    "cancelled": Badge(label=_("Cancelled")),
}
DEFAULT_CURRENCY: Final = "EUR"


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceLineView:
    """One line of an invoice."""

    description: str
    quantity: float | None
    unit_price: Decimal | None
    amount: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceView:
    """One invoice. `currency` is an ISO 4217 code."""

    id: str
    number: str
    client_name: str
    amount: Decimal | None
    currency: str
    status: Badge
    issued_at: datetime | None
    due_at: datetime | None
    paid_at: datetime | None
    lines: tuple[InvoiceLineView, ...]


def present_invoice(record: Mapping[str, Any]) -> InvoiceView:
    """Present a record of `/finance/invoices`."""
    text = texts_of(record)
    return InvoiceView(
        id=text[ID_FIELD],
        number=text["number"] or text[ID_FIELD],
        client_name=text["clientName"],
        amount=decimal_of(record, "amount"),
        currency=text["currency"] or DEFAULT_CURRENCY,
        status=badge_for(code=text["status"], known=STATUSES),
        issued_at=datetime_of(record, "issuedAt"),
        due_at=datetime_of(record, "dueAt"),
        paid_at=datetime_of(record, "paidAt"),
        lines=tuple(
            InvoiceLineView(
                description=text_of(line, "description"),
                quantity=number_of(line, "quantity"),
                unit_price=decimal_of(line, "unitPrice"),
                amount=decimal_of(line, "amount"),
            )
            for line in objects_of(record, "lines")
        ),
    )
