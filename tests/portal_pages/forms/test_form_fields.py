"""The field of a form that an attribute of the row gets: what it shows, what it takes, and what it refuses."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django import forms
from django.utils import translation

from portal.web.templating import render_field
from tests.portal_pages.forms.payment_form import ROW, SENT, PaymentForm
from tests.portal_pages.payments import Method, Payment, Stage, make_form


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


def test_a_choice_is_asked_for_unless_the_form_has_one_at_first() -> None:
    form = PaymentForm()
    assert [value for value, _ in form.fields["method"].choices] == ["", "transfer", "card"]
    assert [value for value, _ in form.fields["currency"].choices] == ["EUR", "TRY"]


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


def test_a_text_that_is_too_long_is_told_and_not_cut_by_the_browser() -> None:
    form = PaymentForm({**SENT, "payer": "x" * 300})
    assert "maxlength" not in str(form["payer"])
    assert "10" in form.errors["payer"][0]


def test_a_browser_fills_in_nothing_of_its_own_user() -> None:
    assert 'autocomplete="off"' in str(PaymentForm()["payer"])
    assert 'autocomplete="off"' in str(PaymentForm()["phone"])


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
