"""Forms of a row send what they hold, and show the backend's complaints at their fields."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django import forms
from django.utils import timezone as timezones
from django.utils import translation

from portal.errors import (
    ApiConflictError,
    ApiError,
    ApiForbiddenError,
    ApiUnavailableError,
    ApiValidationError,
)
from portal.query import MutationResult
from portal.web.pages.forms.forms import BackendForm
from portal.web.pages.forms.validators import telephone
from portal.web.templating import render_field
from tests.portal.web.pages.payments import METHODS, Method, Payment, Stage, make_form


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


def test_fields_have_their_names_on_the_wire_in_html_and_those_of_the_row_in_python() -> None:
    html = str(PaymentForm(row=ROW)["received_at"])
    assert 'name="receivedAt"' in html
    assert 'id="id_receivedAt"' in html
    assert set(PaymentForm({}).errors) == {"payer", "currency"}


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("payer", '<input type="text" name="payer" value="Ada"'),
        ("amount", '<input type="number" name="amount" value="9.90"'),
        ("copies", '<input type="number" name="copies" value="3"'),
        ("is_late", '<input type="checkbox" name="isLate"'),
        ("due_on", '<input type="date" name="dueOn" value="2026-03-01"'),
        ("received_at", '<input type="datetime-local" name="receivedAt" value="2026-03-01T10:20:30"'),
        ("method", '<option value="card" selected>By card</option>'),
        ("currency", '<option value="TRY" selected>Lira</option>'),
        ("note", "<textarea"),
    ],
)
@pytest.mark.parametrize("language", ["en", "de", "tr"])
def test_a_field_shows_the_row_in_every_language_as_browsers_read_it(name: str, html: str, language: str) -> None:
    with translation.override(language):
        assert html in str(PaymentForm(row=ROW)[name])


def test_labels_hints_and_messages_are_those_of_the_form() -> None:
    form = PaymentForm({"payer": ""})
    assert [(field.label, field.help_text) for field in form][:2] == [("Payer", "Who has paid."), ("Phone", "")]
    assert form.errors["payer"] == ["Say who."]


def test_a_choice_is_asked_for_unless_the_form_has_one_at_first() -> None:
    form = PaymentForm()
    assert [value for value, _ in form.fields["method"].choices] == ["", "transfer", "card"]
    assert [value for value, _ in form.fields["currency"].choices] == ["EUR", "TRY"]


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


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("payer", "x" * 11),
        ("payer", "a\nb"),
        ("amount", "NaN"),
        ("amount", "much"),
        ("weight", "Infinity"),
        ("copies", "1.5"),
        ("method", "giro"),
        ("currency", "USD"),
        ("dueOn", "01.03.2026"),
        ("receivedAt", "soon"),
        ("receivedAt", "2026-W10-1"),
        ("receivedAt", "20260301T102030"),
        ("receivedAt", "2026-03-01"),
        ("receivedAt", "03/01/2026 10:20"),
        ("phone", "call me"),
    ],
)
def test_a_value_of_another_kind_is_told_at_its_field(field: str, value: str) -> None:
    form = PaymentForm({**SENT, field: value})
    assert not form.is_valid()
    assert [form[name].html_name for name in form.errors] == [field]


def test_a_value_that_only_this_row_has_stays_unless_someone_changes_it() -> None:
    row = Payment(id="p1", payer="Ada", method=Method("giro"), currency="EUR")
    assert '<option value="giro" selected>giro</option>' in str(PaymentForm(row=row)["method"])
    form = PaymentForm({**SENT, "method": "giro"}, row=row)
    assert form.is_valid()
    assert form.body().fields["method"] == "giro"
    assert not PaymentForm({**SENT, "method": "<other>"}, row=row).is_valid()


def test_a_time_that_utc_has_no_year_for_is_left_empty() -> None:
    row = Payment(received_at=datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=9))))
    assert "value=" not in str(PaymentForm(row=row)["received_at"])


def test_a_time_is_shown_and_typed_in_the_users_own_zone_which_the_hint_names() -> None:
    with timezones.override(ZoneInfo("Asia/Kolkata")):
        field = PaymentForm(row=ROW)["received_at"]
        assert 'value="2026-03-01T15:50:30"' in str(field)
        assert field.help_text == "Time zone: Asia/Kolkata"
        assert valid_form(receivedAt="2026-03-01T15:50:30").body().fields["received_at"] == ROW.received_at
    assert PaymentForm(row=ROW)["received_at"].help_text == "Time zone: UTC"


def test_of_an_hour_that_comes_twice_the_first_is_meant() -> None:
    with timezones.override(ZoneInfo("Europe/Berlin")):
        sent = valid_form(receivedAt="2026-10-25T02:30:00").body().fields["received_at"]
    assert sent == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


#: 2:30 in Berlin, on the night in which the clocks go back: before, and after they do.
FIRST, SECOND = datetime(2026, 10, 25, 0, 30, tzinfo=UTC), datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


class ReceiptForm(BackendForm[Payment]):
    class Meta:
        fields = {"payer": "Payer", "received_at": "Received"}


def sent_form(row: Payment, *, zone: str = "Europe/Berlin", **typed: str) -> ReceiptForm:
    """The form of a row as a browser sends it, with its hidden fields."""
    with timezones.override(ZoneInfo(zone)):
        html = "".join(str(field) for field in ReceiptForm(row=row))
    form = ReceiptForm({**dict(re.findall(r'name="([^"]*)" value="([^"]*)"', html)), **typed})
    assert form.is_valid(), form.errors
    return form


@pytest.mark.parametrize("received_at", [FIRST, SECOND])
def test_an_hour_that_comes_twice_stays_what_it_is_if_nobody_changes_it(received_at: datetime) -> None:
    row = Payment(id="p1", payer="Ada", received_at=received_at)
    with timezones.override(ZoneInfo("Europe/Berlin")):
        form = sent_form(row, payer="Bob")
        assert form.data["receivedAt"] == "2026-10-25T02:30:00"
        assert form.changes().fields.keys() == {"payer"}
        # A PUT sends it too.
        assert form.body().fields["received_at"] == received_at
        assert [form.showed_another("received_at", each) for each in (FIRST, SECOND)] == [
            received_at != FIRST,
            received_at != SECOND,
        ]


def test_another_time_of_the_night_of_the_doubled_hour_is_a_change() -> None:
    row = Payment(id="p1", payer="Ada", received_at=SECOND)
    with timezones.override(ZoneInfo("Europe/Berlin")):
        form = sent_form(row, receivedAt="2026-10-25T03:30")
        assert form.changes().fields == {"received_at": SECOND + timedelta(hours=1)}


def test_a_time_that_nobody_changed_is_not_sent_where_the_zone_became_known_meanwhile() -> None:
    row = Payment(id="p1", payer="Ada", received_at=SECOND)
    with timezones.override(ZoneInfo("Asia/Kolkata")):
        assert sent_form(row, zone="UTC", payer="Bob").changes().fields.keys() == {"payer"}


def test_the_time_of_a_row_that_is_sent_by_a_script_is_one_with_its_offset() -> None:
    with timezones.override(ZoneInfo("Europe/Berlin")):
        form = valid_form(receivedAt="2026-10-25T02:30:00+01:00")
        assert form.body().fields["received_at"] == SECOND
        # Shown again, it is what a browser's field takes.
        assert 'value="2026-10-25T02:30:00"' in str(form["received_at"])


def test_a_time_that_there_is_not_in_the_zone_is_told_at_its_field() -> None:
    with timezones.override(ZoneInfo("Europe/Berlin")):
        form = PaymentForm({**SENT, "receivedAt": "2026-03-29T02:30:00"})
        assert form.errors["received_at"] == ["There is no such time on that day: the clocks go forward."]


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


def test_a_refusal_without_fields_shows_its_detail_or_a_sentence_of_our_own() -> None:
    for detail, shown in (("Closed on Sundays.", "Closed on Sundays."), ("", "The service does not accept this.")):
        form = valid_form()
        form.show_backend_error(failed(ApiValidationError(detail)))
        assert form.non_field_errors() == [shown]


def test_a_conflict_can_be_cured_in_the_form() -> None:
    form = valid_form()
    form.show_backend_error(failed(ApiConflictError("Someone was faster.")))
    assert form.non_field_errors() == ["Someone was faster."]


def test_what_no_form_can_cure_is_raised() -> None:
    form = valid_form()
    with pytest.raises(ApiForbiddenError):
        form.show_backend_error(failed(ApiForbiddenError()))
    assert not form.errors


def test_a_form_that_nobody_answered_has_no_errors_and_can_be_sent_again() -> None:
    form, error = valid_form(), ApiUnavailableError()
    form.show_backend_error(failed(error))
    assert form.outage is error
    assert not form.was_rejected
    assert not form.errors


def test_a_text_that_is_too_long_is_told_and_not_cut_by_the_browser() -> None:
    form = PaymentForm({**SENT, "payer": "x" * 300})
    assert "maxlength" not in str(form["payer"])
    assert "10" in form.errors["payer"][0]


def test_a_browser_fills_in_nothing_of_its_own_user() -> None:
    assert 'autocomplete="off"' in str(PaymentForm()["payer"])
    assert 'autocomplete="off"' in str(PaymentForm()["phone"])


def test_a_form_may_derive_from_another_one_and_name_other_fields() -> None:
    class ShortForm(PaymentForm):
        class Meta:
            fields = {"payer": "Payer", "phone": "Telephone"}

    assert [(name, field.label) for name, field in ShortForm().fields.items()] == [
        ("payer", "Payer"),
        ("phone", "Telephone"),
    ]


def test_a_form_may_declare_the_field_of_an_attribute_that_has_none() -> None:
    field = forms.MultipleChoiceField(choices=[("a", "A"), ("b", "B")], label="Tags")
    form = make_form({}, tags=field)(row=Payment(tags=("a",)))
    assert '<option value="a" selected>A</option>' in str(form["tags"])
    unknown = make_form({}, tags=field)(row=Payment(tags=("a", "z")))
    assert '<option value="z" selected>z</option>' in str(unknown["tags"]), "what the form does not know stays"


@pytest.mark.parametrize(
    ("meta", "row", "sent"),
    [
        ({"fields": {"stage": "Stage"}}, Payment(stage=Stage.LAST), "2"),
        ({"fields": {"copies": "Copies"}, "choices": {"copies": {1: "One", 3: "Three"}}}, Payment(copies=3), "3"),
        ({"fields": {"copies": "Copies"}, "choices": {"copies": {1: "One", 3: "Three"}}}, Payment(copies=2), "2"),
        (
            {"fields": {"is_late": "Late"}, "choices": {"is_late": {True: "Late", False: "In time"}}},
            Payment(is_late=False),
            "False",
        ),
        ({"fields": {"is_shared": "Shared"}}, Payment(is_shared=False), "False"),
        ({"fields": {"is_shared": "Shared"}, "optional": ("is_shared",)}, Payment(is_shared=None), ""),
        (
            {"fields": {"currency": "Currency"}, "optional": ("currency",), "choices": {"currency": {"EUR": "Euro"}}}
            | {"initial": {"currency": "EUR"}},
            Payment(currency=None),
            "",
        ),
    ],
)
def test_a_select_shows_and_sends_the_value_of_the_row(meta: dict[str, Any], row: Payment, sent: str) -> None:
    form = make_form(meta)
    [name] = meta["fields"]
    html = str(form(row=row)[name])
    assert re.findall(r'<option value="([^"]*)" selected>', html) == [sent]
    field = form(row=row)[name].html_name
    again = form({field: sent}, row=row)
    assert not again.has_changed()
    assert again.is_valid(), again.errors
    assert again.body() == Payment.partial(**{name: getattr(row, name)})


def test_a_select_of_a_text_that_may_not_be_null_can_be_emptied() -> None:
    form = make_form({"fields": {"note": "Note"}, "optional": ("note",), "choices": {"note": {"a": "A"}}})({"note": ""})
    assert form.is_valid()
    assert form.body().to_wire() == {"note": ""}


def test_a_yes_or_no_is_asked_in_the_language_of_the_page() -> None:
    with translation.override("de"):
        html = str(make_form({"fields": {"is_shared": "Geteilt"}})()["is_shared"])
    assert re.findall(r">([^<\n]+)</option>", html) == ["–", "Ja", "Nein"]


def test_a_text_area_takes_lines_and_keeps_those_of_the_row() -> None:
    form = make_form({"fields": {"note": "Note"}, "widgets": {"note": forms.Textarea}})
    sent = form({"note": "first\r\n\tsecond"}, row=Payment(note="first\n\tsecond"))
    assert sent.is_valid(), sent.errors
    assert sent.body().to_wire() == {"note": "first\n\tsecond"}
    assert not sent.has_changed()
    assert not form({"note": "a\x00b"}).is_valid()


def test_checkboxes_are_one_group_with_a_legend_and_what_the_form_does_not_know_stays() -> None:
    boxes = forms.MultipleChoiceField(
        choices=[("a", "A"), ("b", "B")], label="Tags", widget=forms.CheckboxSelectMultiple, required=False
    )
    form = make_form({}, tags=boxes)(row=Payment(tags=("a", "z")))
    html = str(render_field(form["tags"]))
    assert "<legend>Tags</legend>" in html
    assert html.count("<label") == 3
    assert html.count("checked") == 2
    assert "optional" not in html
