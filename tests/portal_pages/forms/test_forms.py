"""Forms of a row send what they hold, and show the backend's complaints at their fields."""

from __future__ import annotations

import pytest

from portal.errors import (
    ApiClientError,
    ApiConflictError,
    ApiError,
    ApiUnavailableError,
    ApiValidationError,
)
from portal.query import MutationResult
from tests.portal_pages.forms.payment_form import ROW, SENT, PaymentForm, valid_form
from tests.portal_pages.payments import Method, Payment, make_form


def failed(error: ApiError) -> MutationResult[None]:
    return MutationResult(data=None, error=error)


def test_each_kind_of_field_is_sent_as_its_attribute() -> None:
    expected = {name: getattr(ROW, name) for name in PaymentForm().fields}
    assert valid_form().body() == Payment.partial(**expected)
    assert valid_form().body().fields["method"] is Method.CARD


def test_a_form_of_a_row_that_is_sent_unchanged_sends_what_the_row_has() -> None:
    shown = PaymentForm(row=ROW)
    sent = {field.html_name: field.value() for field in shown}
    form = PaymentForm({name: value for name, value in sent.items() if value is not False})
    assert form.is_valid(), form.errors
    assert form.body() == valid_form().body()
    assert not PaymentForm(SENT, row=ROW).has_changed()


def test_labels_hints_and_messages_are_those_of_the_form() -> None:
    form = PaymentForm({"payer": ""})
    assert [(field.label, field.help_text) for field in form][:2] == [("Payer", "Who has paid."), ("Phone", "")]
    assert form.errors["payer"] == ["Say who."]


def test_an_empty_field_is_null_where_the_row_may_have_none() -> None:
    empty = dict.fromkeys(("phone", "note", "amount", "copies", "method", "dueOn"), "")
    assert valid_form(**empty).body().fields == {
        "payer": "Ada",
        "phone": None,
        "note": "",
        "amount": None,
        "weight": 1.5,
        "is_late": True,
        "method": None,
        "currency": "TRY",
        "due_on": None,
        "received_at": ROW.received_at,
    }, "copies may not be null, and is left out"


def test_a_field_error_of_the_backend_stands_at_its_field_and_others_above() -> None:
    form = valid_form()
    errors = {"payer": ["Taken."], "receivedAt": ["Too early."], "other": ["Odd."]}
    form.show_backend_error(failed(ApiValidationError("no", errors=errors)))
    assert form.errors["payer"] == ["Taken."]
    assert form.errors["received_at"] == ["Too early."]
    assert form.non_field_errors() == ["Odd."]


def test_an_error_of_a_field_that_the_form_does_not_show_names_it() -> None:
    form = make_form({"fields": {"payer": "Payer"}})({"payer": "Ada"})
    assert form.is_valid()
    errors = {"dueOn": ["This field is required."], "nonFieldErrors": ["Closed on Sundays."]}
    form.show_backend_error(failed(ApiValidationError("no", errors=errors)))
    assert form.non_field_errors() == ["dueOn: This field is required.", "Closed on Sundays."]


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (ApiValidationError("Closed on Sundays."), "Closed on Sundays."),
        (ApiValidationError(""), "The service does not accept this."),
        (ApiConflictError("Someone was faster."), "Someone was faster."),
    ],
)
def test_a_refusal_without_fields_shows_its_detail_or_a_sentence_of_our_own(error: ApiError, shown: str) -> None:
    form = valid_form()
    form.show_backend_error(failed(error))
    assert form.non_field_errors() == [shown]


def test_what_no_form_can_cure_is_raised() -> None:
    form = valid_form()
    with pytest.raises(ApiClientError):
        form.show_backend_error(failed(ApiClientError()))
    assert not form.errors


def test_a_form_that_nobody_answered_has_no_errors_and_can_be_sent_again() -> None:
    form, error = valid_form(), ApiUnavailableError()
    form.show_backend_error(failed(error))
    assert form.outage is error
    assert not form.was_rejected
    assert not form.errors


def test_a_form_may_derive_from_another_one_and_name_other_fields() -> None:
    class ShortForm(PaymentForm):
        class Meta:
            fields = {"payer": "Payer", "phone": "Telephone"}

    assert [(name, field.label) for name, field in ShortForm().fields.items()] == [
        ("payer", "Payer"),
        ("phone", "Telephone"),
    ]
