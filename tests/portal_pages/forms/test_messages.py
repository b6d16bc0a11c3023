"""What a form says of its fields, in plain words and in the page's language."""

from __future__ import annotations

import pytest
from django import forms
from django.utils import translation

from portal.errors import ApiValidationError
from portal.query import MutationResult
from portal.web.templating import render_field
from portal_pages.forms.forms import BackendForm
from portal_pages.forms.messages import use_plain_messages
from tests.portal_pages.payments import Payment


class NoteForm(BackendForm[Payment]):
    class Meta:
        fields = {"note": "Note", "copies": "Copies", "payer": "Payer"}
        max_lengths = {"note": 3}
        optional = ("copies",)
        error_messages = {"payer": {"required": "Who pays?"}}


def refused(**errors: list[str]) -> NoteForm:
    form = NoteForm({"note": "a", "payer": "b"})
    assert form.is_valid()
    form.show_backend_error(MutationResult(data=None, error=ApiValidationError("no", errors=errors)))
    return form


@pytest.mark.parametrize(
    ("locale", "too_long", "missing"),
    [
        ("en", "At most 3 characters, please; these are 4.", "Please fill this in."),
        ("de", "Bitte höchstens 3 Zeichen; das sind 4.", "Bitte füllen Sie das aus."),
        ("tr", "Lütfen en fazla 3 karakter girin; bu 4 karakter.", "Lütfen burayı doldurun."),  # noqa: RUF001  Turkish
    ],
)
def test_djangos_own_messages_are_said_in_plain_words(locale: str, too_long: str, missing: str) -> None:
    with translation.override(locale):
        assert NoteForm({"note": "four", "payer": "b"}).errors["note"] == [too_long]
        assert NoteForm({"payer": "b"}).errors["note"] == [missing]


def test_a_message_that_the_form_gives_itself_stays() -> None:
    assert NoteForm({"note": "a"}).errors["payer"] == ["Who pays?"]
    own = forms.CharField(max_length=2, error_messages={"max_length": "Two."})
    use_plain_messages([own])
    with pytest.raises(forms.ValidationError, match=r"Two\."):
        own.clean("abc")


def test_what_the_backend_says_is_marked_with_its_language() -> None:
    with translation.override("de"):
        html = str(render_field(refused(note=["Too <b>odd</b>: 100 %s."])["note"]))
    assert '<p class="field-error" lang="en">Too &lt;b&gt;odd&lt;/b&gt;: 100 %s.</p>' in html


def test_what_the_catalogs_know_is_said_in_the_pages_language() -> None:
    with translation.override("de"):
        html = str(render_field(refused(note=["There is no such station."])["note"]))
    assert '<p class="field-error">Diese Station gibt es nicht.</p>' in html


def test_a_page_in_the_backends_language_marks_nothing() -> None:
    assert '<p class="field-error">Odd.</p>' in str(render_field(refused(note=["Odd."])["note"]))


def test_an_empty_text_is_not_the_head_of_a_catalog() -> None:
    with translation.override("de"):
        assert "Project-Id" not in str(render_field(refused(note=[""])["note"]))


def test_a_field_names_its_length_for_scripts_and_no_browser_cuts_it() -> None:
    html = str(render_field(NoteForm()["note"]))
    assert 'data-counts="id_note" data-most="3"' in html
    assert "maxlength" not in html
    assert "data-counts" not in str(render_field(NoteForm()["copies"]))
