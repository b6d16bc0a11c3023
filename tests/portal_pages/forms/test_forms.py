"""Forms of a row send what they hold, and show the backend's complaints at their fields in the page's language."""

from typing import Any

import pytest
from django.utils import translation

from portal.errors import ApiClientError, ApiConflictError, ApiError, ApiUnauthorizedError, ApiValidationError
from portal.query import MutationResult
from portal.web.templating import render_field
from tests.portal_pages.payments import ROW, SENT, Method, Payment, PaymentForm, make_form, valid_form


def failed(form: Any, error: ApiError) -> Any:
    """The form after the backend refused it."""
    assert form.is_valid(), form.errors
    form.show_backend_error(MutationResult(data=None, error=error))
    return form


def test_a_form_sends_each_kind_of_field_as_its_attribute_and_one_that_is_sent_unchanged_what_the_row_has() -> None:
    expected = Payment.partial(**{name: getattr(ROW, name) for name in PaymentForm().fields})
    assert valid_form().body() == expected
    assert valid_form().body().fields["method"] is Method.CARD
    sent = {field.html_name: field.value() for field in PaymentForm(row=ROW)}
    form = PaymentForm({name: value for name, value in sent.items() if value is not False})
    assert form.is_valid(), form.errors
    assert form.body() == expected
    assert not PaymentForm(SENT, row=ROW).has_changed()


def test_empty_field_is_null_in_a_patch_alone() -> None:
    empty = ("phone", "note", "amount", "copies", "method", "dueOn")
    nulls = {"phone": None, "note": "", "amount": None, "method": None, "due_on": None}
    # The form leaves out `copies`, which may not be null.
    expected = {name: nulls.get(name, getattr(ROW, name)) for name in PaymentForm().fields if name != "copies"}
    form = valid_form(**dict.fromkeys(empty, ""))
    assert form.changes().fields == form.body(nulls=True).fields == expected
    assert form.body().fields == {name: value for name, value in expected.items() if value is not None}


def test_labels_hints_and_messages_are_those_of_the_form_which_may_derive_from_another_one() -> None:
    class ShortForm(PaymentForm):
        class Meta:
            fields = {"payer": "Payer", "phone": "Telephone"}

    form = PaymentForm({"payer": ""})
    assert [(field.label, field.help_text) for field in form][:2] == [("Payer", "Who has paid."), ("Phone", "")]
    assert form.errors["payer"] == ["Say who."]
    assert set(form.errors) == {"payer", "currency"}
    assert [field.label for field in ShortForm().fields.values()] == ["Payer", "Telephone"]


@pytest.mark.parametrize(
    ("error", "above", "at_fields"),
    [
        (ApiValidationError(""), ["The service does not accept this."], {}),
        (ApiConflictError("Someone was faster."), ["Someone was faster."], {}),
        (
            ApiValidationError("no", errors={"payer": ["Taken."], "receivedAt": ["Too early."], "other": ["Odd."]}),
            ["Odd."],
            {"payer": ["Taken."], "received_at": ["Too early."]},
        ),
        (
            # A field that the form does not show is named.
            ApiValidationError("no", errors={"isShared": ["Fill this in."], "nonFieldErrors": ["Closed."]}),
            ["isShared: Fill this in.", "Closed."],
            {},
        ),
        (ApiClientError("No licence.", status=401), ["No licence."], {}),
    ],
)
def test_refusal_stands_at_its_fields(error: ApiError, above: list[str], at_fields: dict[str, list[str]]) -> None:
    form = failed(valid_form(), error)
    assert form.non_field_errors() == above
    assert {name: form.errors[name] for name in form.errors if name != "__all__"} == at_fields


def test_what_no_form_can_cure_is_raised() -> None:
    with pytest.raises(ApiUnauthorizedError):
        failed(valid_form(), ApiUnauthorizedError())


NOTE: dict[str, Any] = {
    "fields": {"note": "Note", "copies": "Copies", "payer": "Payer"},
    "max_lengths": {"note": 3},
    "optional": ("copies",),
    "error_messages": {"payer": {"required": "Who pays?"}},
}


@pytest.mark.parametrize(
    ("locale", "too_long", "missing"),
    [
        ("en", "At most 3 characters, please; these are 4.", "Please fill this in."),
        ("de", "Bitte höchstens 3 Zeichen; das sind 4.", "Bitte füllen Sie das aus."),
        ("tr", "Lütfen en fazla 3 karakter girin; bu 4 karakter.", "Lütfen burayı doldurun."),
    ],
)
def test_django_messages_are_said_in_plain_words(locale: str, too_long: str, missing: str) -> None:
    with translation.override(locale):
        assert make_form(NOTE)({"note": "four", "payer": "b"}).errors["note"] == [too_long]
        errors = make_form(NOTE)({}).errors
        assert (errors["note"], errors["payer"]) == ([missing], ["Who pays?"])


@pytest.mark.parametrize(
    ("locale", "said", "shown"),
    [
        ("de", "Too <b>odd</b>: 100 %s.", '<p class="field-error" lang="en">Too &lt;b&gt;odd&lt;/b&gt;: 100 %s.</p>'),
        ("de", "There is no such station.", '<p class="field-error">Diese Station gibt es nicht.</p>'),
        # An empty text is the head of a catalog.
        ("de", "", '<p class="field-error"'),
    ],
)
def test_what_the_backend_says_is_translated_or_marked_with_its_language(locale: str, said: str, shown: str) -> None:
    with translation.override(locale):
        form = failed(make_form(NOTE)({"note": "a", "payer": "b"}), ApiValidationError("no", errors={"note": [said]}))
        html = str(render_field(form["note"]))
    assert shown in html
    assert "Project-Id" not in html


def test_a_field_names_its_length_for_scripts_and_no_browser_cuts_it() -> None:
    html = str(render_field(make_form(NOTE)()["note"]))
    assert 'data-counts="id_note" data-most="3"' in html
    assert "maxlength" not in html
    assert "data-counts" not in str(render_field(make_form(NOTE)()["copies"]))
