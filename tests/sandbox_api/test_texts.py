import pytest
from rest_framework.exceptions import ValidationError

from sandbox_api.texts import LineField, PhoneField


@pytest.mark.parametrize("text", ["a\nb", "trailing\n", "nul\0", "\x1b[31m", "\x85", "line\u2028", "\ud800"])
def test_a_line_has_no_control_characters(text):
    with pytest.raises(ValidationError, match="Control characters"):
        LineField().run_validation(text)


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "O'Brien & Söhne", "Ünal \U0001f50c"])
def test_a_line_may_have_anything_else(text):
    assert LineField().run_validation(text) == text


def test_an_empty_line_means_null_where_that_is_allowed():
    assert LineField(allow_null=True).run_validation("  ") is None
    with pytest.raises(ValidationError):
        LineField().run_validation("  ")


@pytest.mark.parametrize("number", ["+49 30 901820", "(0212) 555-12.34", "12345"])
def test_a_telephone_number_is_taken_as_it_is_written(number):
    assert PhoneField().run_validation(number) == number


@pytest.mark.parametrize("number", ["call me", "1234", "1" * 16, "+49 30 x", "++49301234", "٠١٢٣٤٥٦"])
def test_anything_else_is_no_telephone_number(number):
    with pytest.raises(ValidationError, match="telephone number"):
        PhoneField().run_validation(number)
