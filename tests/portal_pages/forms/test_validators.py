"""Validators of form fields."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from portal_pages.forms.form_fields import one_line, telephone


@pytest.mark.parametrize("text", ["a\nb", "a\x00b", "a\u2028b", "a\u0007"])
def test_control_characters_are_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        one_line(text)


@pytest.mark.parametrize("text", ["", "Çağla Öğüt", "💡", "a\N{NO-BREAK SPACE}b"])
def test_any_other_text_is_one_line(text: str) -> None:
    one_line(text)


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
    if accepted:
        telephone(number)
        return
    with pytest.raises(ValidationError):
        telephone(number)
