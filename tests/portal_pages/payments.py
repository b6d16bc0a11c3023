"""Payments: a row with a field of each kind, its form, and the same as a browser sends it."""

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

from django import forms

from portal.query import OpenEnum, Row
from portal.rows import wire_names
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


#: Each field of the form: its label, what a browser sends, and what the row has.
FIELDS: dict[str, tuple[str, str, Any]] = {
    "payer": ("Payer", "Ada", "Ada"),
    "phone": ("Phone", "+49 30 901820", "+49 30 901820"),
    "note": ("Note", "Thanks", "Thanks"),
    "amount": ("Amount", "9.90", Decimal("9.90")),
    "weight": ("Weight", "1.5", 1.5),
    "copies": ("Copies", "3", 3),
    "is_late": ("Late", "on", True),
    "method": ("Method", "card", Method.CARD),
    "currency": ("Currency", "TRY", "TRY"),
    "due_on": ("Due", "2026-03-01", date(2026, 3, 1)),
    "received_at": ("Received", "2026-03-01T10:20:30", datetime(2026, 3, 1, 10, 20, 30, tzinfo=UTC)),
}
SENT = {wire_names(Payment)[name]: sent for name, (_label, sent, _value) in FIELDS.items()}
ROW = Payment(id="p1", **{name: value for name, (_label, _sent, value) in FIELDS.items()})


class PaymentForm(BackendForm[Payment]):
    phone = forms.CharField(required=False, validators=[telephone])

    class Meta:
        fields = {name: label for name, (label, _sent, _value) in FIELDS.items()}
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


def valid_form(**changes: str) -> PaymentForm:
    form = PaymentForm({**SENT, **changes})
    assert form.is_valid(), form.errors
    return form
