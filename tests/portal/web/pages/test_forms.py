"""Forms send what they hold, and show the backend's complaints at their fields."""

from __future__ import annotations

import pytest
from django import forms

from portal.errors import ApiConflictError, ApiError, ApiForbiddenError, ApiUnavailableError, ApiValidationError
from portal.query import MutationResult
from portal.web.pages.forms import BackendForm, one_line, telephone


class ExampleForm(BackendForm):
    name = forms.CharField(max_length=10, validators=[one_line])
    phone = forms.CharField(required=False, validators=[telephone])


def valid_form() -> ExampleForm:
    form = ExampleForm({"name": "Ada", "phone": ""})
    assert form.is_valid()
    return form


def failed(error: ApiError) -> MutationResult[None]:
    return MutationResult(data=None, error=error)


def test_an_empty_field_is_sent_as_null() -> None:
    assert valid_form().body() == {"name": "Ada", "phone": None}


def test_a_field_error_of_the_backend_stands_at_its_field_and_others_above() -> None:
    form = valid_form()
    form.show_backend_error(failed(ApiValidationError("no", errors={"name": ["Taken."], "other": ["Odd."]})))
    assert form.errors["name"] == ["Taken."]
    assert form.non_field_errors() == ["Odd."]


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
