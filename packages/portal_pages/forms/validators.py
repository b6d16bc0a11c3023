"""Validators of form fields: the text is one line, or several, or a telephone number."""

from __future__ import annotations

import re
from typing import Final

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
