import pytest
from rest_framework.exceptions import ValidationError

from sandbox_api.texts import LineField, PhoneField


@pytest.mark.parametrize(
    ("field", "text", "taken"),
    [
        *(
            (LineField, text, None)
            for text in ("a\nb", "trailing\n", "nul\0", "\x1b[31m", "\x85", "line\u2028", "\ud800")
        ),
        *((LineField, text, text) for text in ("<script>alert(1)</script>", "O'Brien & Söhne", "Ünal \U0001f50c")),
        (LineField, "  ", None),
        *((PhoneField, text, text) for text in ("+49 30 901820", "(0212) 555-12.34", "12345")),
        *((PhoneField, text, None) for text in ("call me", "1234", "1" * 16, "+49 30 x", "++49301234", "٠١٢٣٤٥٦")),
    ],
)
def test_a_line_has_no_control_characters_and_a_telephone_number_its_digits(field, text, taken):
    if taken is not None:
        assert field().run_validation(text) == taken
        return
    with pytest.raises(ValidationError):
        field().run_validation(text)


def test_an_empty_line_means_null_where_that_is_allowed():
    assert LineField(allow_null=True).run_validation("  ") is None
