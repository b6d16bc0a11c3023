"""The field of a form that an attribute of the row gets: what it shows, what it takes, and what it refuses."""

import re
from typing import Any

import pytest
from django import forms
from django.utils import translation

from portal.errors import UsageError
from portal.web.present import Badge
from portal.web.templating import render_field
from portal_pages import Column
from portal_pages.forms.forms import BackendForm
from tests.portal_pages.payments import ROW, SENT, Method, Payment, PaymentForm, Stage, make_form


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("payer", '<input type="text" name="payer" value="Ada" autocomplete="off"'),
        ("amount", '<input type="number" name="amount" value="9.90"'),
        ("is_late", '<input type="checkbox" name="isLate"'),
        ("due_on", '<input type="date" name="dueOn" value="2026-03-01"'),
        ("received_at", '<input type="datetime-local" name="receivedAt" value="2026-03-01T10:20:30"'),
        ("method", '<option value="card" selected>By card</option>'),
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
    assert 'autocomplete="off"' in str(form["phone"]), "a browser fills in nothing of its own user"


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("payer", ["x" * 11, "a\nb", "a\x00b", "a\u2028b", "a\u0007b"]),
        ("amount", ["NaN", "much"]),
        ("weight", ["Infinity"]),
        ("method", ["giro"]),
        ("receivedAt", ["soon", "2026-W10-1", "20260301T102030", "2026-03-01", "03/01/2026 10:20"]),
        ("phone", ["call me", "1234", "1" * 16, "٠١٢٣٤٥"]),
        ("note", ["a\x00b"]),
    ],
)
def test_a_value_of_another_kind_is_told_at_its_field(field: str, values: list[str]) -> None:
    for value in values:
        form = PaymentForm({**SENT, field: value})
        assert [form[name].html_name for name in form.errors] == [field], value


def test_a_value_that_only_this_row_has_stays_unless_someone_changes_it() -> None:
    row = Payment(id="p1", payer="Ada", method=Method("giro"), currency="EUR")
    assert '<option value="giro" selected>giro</option>' in str(PaymentForm(row=row)["method"])
    form = PaymentForm({**SENT, "method": "giro"}, row=row)
    assert form.is_valid()
    assert form.body().fields["method"] == "giro"
    assert not PaymentForm({**SENT, "method": "<other>"}, row=row).is_valid()


NUMBERS = {"fields": {"copies": "Copies"}, "choices": {"copies": {1: "One", 3: "Three"}}}
SHARED = {"fields": {"is_shared": "Shared"}}
CURRENCY = {"fields": {"currency": "Currency"}, "optional": ("currency",), "choices": {"currency": {"EUR": "Euro"}}}


@pytest.mark.parametrize(
    ("meta", "row", "sent"),
    [
        ({"fields": {"stage": "Stage"}}, Payment(stage=Stage.LAST), "2"),
        (NUMBERS, Payment(copies=3), "3"),
        (NUMBERS, Payment(copies=2), "2"),
        ({"fields": {"is_late": "Late"}, "choices": {"is_late": {True: "Y", False: "N"}}}, Payment(), "False"),
        (SHARED, Payment(is_shared=False), "False"),
        (SHARED | {"optional": ("is_shared",)}, Payment(is_shared=None), ""),
        (CURRENCY | {"initial": {"currency": "EUR"}}, Payment(currency=None), ""),
    ],
)
def test_a_select_shows_and_sends_the_value_of_the_row(meta: dict[str, Any], row: Payment, sent: str) -> None:
    form = make_form(meta)
    [name] = meta["fields"]
    field = form(row=row)[name]
    assert re.findall(r'<option value="([^"]*)" selected>', str(field)) == [sent]
    again = form({field.html_name: sent}, row=row)
    assert not again.has_changed()
    assert again.is_valid(), again.errors
    assert again.body(nulls=True) == Payment.partial(**{name: getattr(row, name)})


def test_a_text_area_takes_lines_and_keeps_those_of_the_row() -> None:
    form = make_form({"fields": {"note": "Note"}, "widgets": {"note": forms.Textarea}})
    sent = form({"note": "first\r\n\tsecond"}, row=Payment(note="first\n\tsecond"))
    assert sent.is_valid(), sent.errors
    assert sent.body().to_wire() == {"note": "first\n\tsecond"}
    assert not sent.has_changed()


@pytest.mark.parametrize("widget", [forms.SelectMultiple, forms.CheckboxSelectMultiple])
def test_declared_field_keeps_unknown_values(widget: type[forms.Widget]) -> None:
    field = forms.MultipleChoiceField(choices=[("a", "A"), ("b", "B")], label="Tags", widget=widget, required=False)
    html = str(render_field(make_form({}, tags=field)(row=Payment(tags=("a", "z")))["tags"]))
    assert re.findall(r'value="(.)"[^>]* (?:checked|selected)', html) == ["a", "z"]
    if widget is forms.CheckboxSelectMultiple:
        assert "<legend>Tags</legend>" in html
        assert (html.count("<label"), "optional" in html) == (3, False)


# --- a form that can't work is told when its class is made ---

PAYER, COPIES, METHOD, TAGS = ({"fields": {name: name.title()}} for name in ("payer", "copies", "method", "tags"))


@pytest.mark.parametrize(
    ("meta", "words"),
    [
        ({"fields": {"payerr": "Payer"}}, r": Payment has no field 'payerr'; there are id, .*payer"),
        (TAGS, r": declare the field 'tags' itself: there is none for the type tuple"),
        (TAGS | {"choices": {"tags": {"a": "A"}}}, r": declare the field 'tags' itself: a select has one value"),
        (PAYER | {"choices": {"payer": ["Ada"]}}, r".Meta.choices\['payer'\] should be a mapping, not list"),
        (METHOD | {"choices": {"method": {"giro": "Giro"}}}, ": Meta.choices: 'giro' is no Method, of which 'method'"),
        (METHOD | {"initial": {"method": "giro"}}, ": Meta.initial: 'giro' is none of the choices of 'method'"),
        (COPIES | {"max_lengths": {"copies": 3}}, ": Meta.max_lengths is for texts, and 'copies' is"),
        (
            PAYER | {"optional": ("payer",), "payer": forms.CharField()},
            ".Meta.optional has no effect on 'payer', a field",
        ),
        ({"payer": forms.CharField()}, ": give the field 'payer' a label, in Meta.fields"),
        ({"labels": {"payer": "Payer"}}, ".Meta has no option 'labels'; there are fields, optional, choices"),
    ],
)
def test_a_wrong_form_is_told_when_its_class_is_made(meta: dict[str, Any], words: str) -> None:
    declared = {name: value for name, value in meta.items() if isinstance(value, forms.Field)}
    with pytest.raises(UsageError, match=f"OddForm{words}"):
        make_form({name: meta[name] for name in meta.keys() - declared.keys()}, **declared)


def test_a_form_without_a_row_is_told_when_its_class_is_made() -> None:
    with pytest.raises(UsageError, match=r"name the row whose form it is, as in class OddForm\(BackendForm\[Client\]"):
        type(BackendForm)("OddForm", (BackendForm,), {"payer": forms.CharField()})


def test_a_column_of_the_list_gives_its_field_the_label_the_choices_and_the_kind_of_text() -> None:
    columns = {
        "payer": Column("Payer", format="mailto"),
        "method": Column("Method", words={Method.CARD: "By card", Method.TRANSFER: Badge(label="By bank")}),
        "phone": Column("Phone", format="tel"),
        "amount": Column("Amount", sort="-amount", kind="number", format="money"),
    }
    form = make_form({"fields": columns, "max_lengths": {"payer": 20}})
    assert [field.label for field in form.base_fields.values()] == ["Payer", "Method", "Phone", "Amount"]
    sent = form({"payer": "nobody", "method": "card", "phone": "call me", "amount": "1"})
    assert sorted(sent.errors) == ["payer", "phone"]
    assert 'type="email"' in str(sent["payer"])
    options = re.findall(r'<option value="(\w+)"[^>]*>([^<]*)', str(sent["method"]))
    assert options == [("card", "By card"), ("transfer", "By bank")]
