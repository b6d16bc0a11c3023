"""Payments: a row with a field of each kind, its form, and the same as a browser sends it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

from django import forms

from portal.query import OpenEnum, Row
from portal.web.present import Badge
from portal_pages.forms.forms import BackendForm
from portal_pages.forms.text_fields import telephone


class Method(OpenEnum):
    TRANSFER = "transfer"
    CARD = "card"


class Stage(Enum):
    """An enumeration that is no text."""

    FIRST = 1
    LAST = 2


class Payment(Row):
    payer: str = ""
    note: str = ""
    phone: str | None = None
    amount: Decimal | None = None
    weight: float | None = None
    copies: int = 1
    is_late: bool = False
    method: Method | None = None
    currency: str | None = None
    due_on: date | None = None
    received_at: datetime | None = None
    tags: tuple[str, ...] = ()
    stage: Stage | None = None
    is_shared: bool | None = None


class FormOfPayments(BackendForm[Payment]):
    """Without fields of its own."""


def make_form(meta: dict[str, Any], **declared: forms.Field) -> type:
    return type(FormOfPayments)("OddForm", (FormOfPayments,), {**declared, "Meta": type("Meta", (), meta)})


class PaymentForm(BackendForm[Payment]):
    phone = forms.CharField(required=False, validators=[telephone])

    class Meta:
        fields = {
            "payer": "Payer",
            "phone": "Phone",
            "note": "Note",
            "amount": "Amount",
            "weight": "Weight",
            "copies": "Copies",
            "is_late": "Late",
            "method": "Method",
            "currency": "Currency",
            "due_on": "Due",
            "received_at": "Received",
        }
        optional = ("note", "amount", "weight", "copies", "method", "due_on", "received_at")
        choices = {
            "method": {Method.TRANSFER: Badge(label="By transfer", tone="good"), Method.CARD: Badge(label="By card")},
            "currency": {"EUR": "Euro", "TRY": "Lira"},
        }
        initial = {"currency": "EUR"}
        max_lengths = {"payer": 10}
        help_texts = {"payer": "Who has paid."}
        error_messages = {"payer": {"required": "Say who."}}
        widgets = {"note": forms.Textarea}


SENT = {
    "payer": "Ada",
    "phone": "+49 30 901820",
    "note": "Thanks",
    "amount": "9.90",
    "weight": "1.5",
    "copies": "3",
    "isLate": "on",
    "method": "card",
    "currency": "TRY",
    "dueOn": "2026-03-01",
    "receivedAt": "2026-03-01T10:20:30",
}
ROW = Payment(
    id="p1",
    payer="Ada",
    phone="+49 30 901820",
    note="Thanks",
    amount=Decimal("9.90"),
    weight=1.5,
    copies=3,
    is_late=True,
    method=Method.CARD,
    currency="TRY",
    due_on=date(2026, 3, 1),
    received_at=datetime(2026, 3, 1, 10, 20, 30, tzinfo=UTC),
)


def valid_form(**changes: str) -> PaymentForm:
    form = PaymentForm({**SENT, **changes})
    assert form.is_valid(), form.errors
    return form
