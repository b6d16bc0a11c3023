"""Form fields of texts: what may stand in one, and the fields for lines, email addresses and telephone numbers."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from portal.web.request import has_controls

_BREAKS: Final = str.maketrans("", "", "\t\r\n")
_PHONE: Final = re.compile(r"\+?[0-9 ()./-]+", re.ASCII)
#: Number of digits; E.164 allows 15.
_PHONE_DIGITS: Final = range(5, 16)


def one_line(value: str) -> None:
    """A validator: the text has no control characters and no line breaks.

    :raises ValidationError: it has.
    """
    if has_controls(value):
        raise ValidationError(_("Control characters are not allowed."), code="control")


def lines(value: str) -> None:
    """A validator: the text has no control characters, but for tabs and line breaks.

    :raises ValidationError: it has.
    """
    one_line(value.translate(_BREAKS))


def telephone(value: str) -> None:
    """A validator: the text is a telephone number.

    :raises ValidationError: it is not.
    """
    if not _PHONE.fullmatch(value) or sum(c.isdigit() for c in value) not in _PHONE_DIGITS:
        raise ValidationError(_("Enter a telephone number, such as +49 30 901820."), code="phone")


class _Lines(forms.CharField):
    """A text of several lines, with the line breaks of Unix: browsers send those of Windows."""

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        return text.replace("\r\n", "\n") if isinstance(text, str) else text


def text_field(**settings: Any) -> forms.Field:
    """One line, or several in a `Textarea`."""
    field_ = forms.CharField(**settings)
    if isinstance(field_.widget, forms.Textarea):
        return _Lines(validators=[lines], **settings)
    field_.validators.append(one_line)
    return field_


def _telephone(**settings: Any) -> forms.Field:
    widget = forms.TextInput(attrs={"autocomplete": "off", "inputmode": "tel"})
    return forms.CharField(**{"widget": widget, "validators": [one_line, telephone], **settings})


#: Format of a column to the field for such texts.
TEXT_FIELDS: Final[Mapping[str, Callable[..., forms.Field]]] = {"mailto": forms.EmailField, "tel": _telephone}
