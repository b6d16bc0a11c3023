"""Fields for what people type: one line of text, several lines, a telephone number."""

import re
import unicodedata
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

# Control characters, surrogates, and the separators that break a line where nobody expects it.
_REFUSED_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})
_PHONE = re.compile(r"\+?[0-9 ()./-]+")
_PHONE_DIGITS = range(5, 16)  # E.164 allows 15
_PHONE_LENGTH = 40
_PHONE_EXAMPLE = "+49 30 901820"


def has_control_characters(text: str) -> bool:
    """Tell whether the text has what can't stand in one line."""
    return any(unicodedata.category(character) in _REFUSED_CATEGORIES for character in text)


class LineField(serializers.CharField):
    """One line of text, without spaces around it. Where `null` is allowed, an empty text means it."""

    default_error_messages = {"control": "Control characters are not allowed."}

    def __init__(self, **options: Any) -> None:
        if options.get("allow_null"):
            options.setdefault("allow_blank", True)
        super().__init__(**options)

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """Validate, and give `None` for an empty text where that is allowed."""
        # Before the framework strips: a line feed at the end is a mistake too, not a space.
        if isinstance(data, str) and has_control_characters(data):
            self.fail("control")
        value = super().run_validation(data)
        return None if value == "" and self.allow_null else value


class LinesField(serializers.CharField):
    """One or several lines of text, with the line breaks of Unix, without spaces around them."""

    default_error_messages = {"control": "Control characters are not allowed."}

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """Validate each line."""
        if isinstance(data, str):
            data = data.replace("\r\n", "\n")
            if any(has_control_characters(line) for line in data.replace("\t", " ").split("\n")):
                self.fail("control")
        return super().run_validation(data)


@extend_schema_field({"type": "string", "maxLength": _PHONE_LENGTH, "example": _PHONE_EXAMPLE})
class PhoneField(LineField):
    """A telephone number as people write it: digits, spaces, brackets, dots, dashes, a leading plus."""

    default_error_messages = {"phone": f"Enter a telephone number, such as {_PHONE_EXAMPLE}."}

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=_PHONE_LENGTH, **options)

    def to_internal_value(self, data: Any) -> str:
        """Check the form; an empty text is left to the base class."""
        value = super().to_internal_value(data)
        digits = sum(character.isdigit() for character in value)
        if value and (not _PHONE.fullmatch(value) or digits not in _PHONE_DIGITS):
            self.fail("phone")
        return value
