"""A form of a payment, a payment, and the same as a browser sends it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

from django import forms

from portal_pages.forms.form_fields import telephone
from portal_pages.forms.forms import BackendForm
from tests.portal_pages.payments import METHODS, Method, Payment


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
        choices = {"method": METHODS, "currency": {"EUR": "Euro", "TRY": "Lira"}}
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
