"""An invoice as the pages show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy as _

from portal.config.wire_names import ID_FIELD
from portal.web.present.badges import Badge, badge_for
from portal.web.present.records import decimal, moment, number, records, text

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
    """A record of `/finance/invoices`."""
    return InvoiceView(
        id=text(record, ID_FIELD),
        number=text(record, "number") or text(record, ID_FIELD),
        client_name=text(record, "clientName"),
        amount=decimal(record, "amount"),
        currency=text(record, "currency") or DEFAULT_CURRENCY,
        status=badge_for(code=text(record, "status"), known=STATUSES),
        issued_at=moment(record, "issuedAt"),
        due_at=moment(record, "dueAt"),
        paid_at=moment(record, "paidAt"),
        lines=tuple(
            InvoiceLineView(
                description=text(line, "description"),
                quantity=number(line, "quantity"),
                unit_price=decimal(line, "unitPrice"),
                amount=decimal(line, "amount"),
            )
            for line in records(record, "lines")
        ),
    )
