"""Forms send what they hold, and show the backend's complaints at their fields."""

from __future__ import annotations

import pytest
from django import forms

from portal.errors import ApiConflictError, ApiForbiddenError, ApiUnavailableError, ApiValidationError
from portal.web.pages.forms import BackendForm, one_line, telephone


class ExampleForm(BackendForm):
    name = forms.CharField(max_length=10, validators=[one_line])
    phone = forms.CharField(required=False, validators=[telephone])


def valid_form() -> ExampleForm:
    form = ExampleForm({"name": "Ada", "phone": ""})
    assert form.is_valid()
    return form


def test_an_empty_field_is_sent_as_null() -> None:
    assert valid_form().body() == {"name": "Ada", "phone": None}


def test_a_field_error_of_the_backend_stands_at_its_field_and_others_above() -> None:
    form = valid_form()
    assert form.add_backend_error(ApiValidationError("no", errors={"name": ["Taken."], "other": ["Odd."]}))
    assert form.errors["name"] == ["Taken."]
    assert form.non_field_errors() == ["Odd."]


def test_a_refusal_without_fields_shows_its_detail_or_a_sentence_of_our_own() -> None:
    for detail, shown in (("Closed on Sundays.", "Closed on Sundays."), ("", "The service does not accept this.")):
        form = valid_form()
        assert form.add_backend_error(ApiValidationError(detail))
        assert form.non_field_errors() == [shown]


def test_a_conflict_can_be_cured_in_the_form() -> None:
    form = valid_form()
    assert form.add_backend_error(ApiConflictError("Someone was faster."))
    assert form.non_field_errors() == ["Someone was faster."]


@pytest.mark.parametrize("error", [ApiForbiddenError(), ApiUnavailableError()])
def test_what_no_form_can_cure_is_left_to_the_caller(error: Exception) -> None:
    form = valid_form()
    assert not form.add_backend_error(error)
    assert not form.errors


@pytest.mark.parametrize("text", ["a\nb", "a\x00b", "a\u2028b", "a\u0007"])
def test_control_characters_are_refused(text: str) -> None:
    assert not ExampleForm({"name": f"x{text}x"}).is_valid()


@pytest.mark.parametrize(
    ("number", "accepted"),
    [
        ("+49 30 901820", True),
        ("(030) 90.18-20", True),
        ("1234", False),
        ("call me", False),
        ("1" * 16, False),
        ("٠١٢٣٤٥", False),
    ],
)
def test_telephone_numbers(number: str, accepted: bool) -> None:
    assert ExampleForm({"name": "Ada", "phone": number}).is_valid() is accepted


def test_a_text_that_is_too_long_is_told_and_not_cut_by_the_browser() -> None:
    form = ExampleForm({"name": "x" * 300})
    assert "maxlength" not in str(form["name"])
    assert "10" in form.errors["name"][0]
