"""What a form says of its fields: Django's messages in plain words, and the backend's in the page's language.

The backend writes in one language (`language` of its class). Where the catalogs have a translation of its text, that is
shown. Any other text is shown as it is, marked with its language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop as msgid

from portal.api import current_backend
from portal.web.request import active_locale

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from django import forms

#: By the code of the error, in place of Django's own messages.
PLAIN_MESSAGES: Final[Mapping[str, Any]] = {
    "required": _("Please fill this in."),
    "max_length": ngettext_lazy(
        "At most %(limit_value)d character, please; these are %(show_value)d.",
        "At most %(limit_value)d characters, please; these are %(show_value)d.",
        "limit_value",
    ),
    "min_length": ngettext_lazy(
        "At least %(limit_value)d character, please.",
        "At least %(limit_value)d characters, please.",
        "limit_value",
    ),
    "max_value": _("At most %(limit_value)s, please."),
    "min_value": _("At least %(limit_value)s, please."),
    "invalid_choice": _("Please choose one of the entries."),
}
#: What backends say most, listed for the catalogs.
BACKEND_TEXTS: Final = (
    msgid("Control characters are not allowed."),
    msgid("Enter a telephone number, such as +49 30 901820."),
    msgid("Enter a valid email address."),
    msgid("There is no such station."),
    msgid("This field is required."),
    msgid("This field may not be blank."),
    msgid("This field may not be null."),
    msgid("Use capitals, digits and underscores."),
)


class BackendTextError(ValidationError):
    """A text of the backend, as it came."""

    @property
    def lang(self) -> str:
        """Its language, as HTML names it."""
        return current_backend().language


def backend_errors(messages: Iterable[str]) -> list[ValidationError]:
    """The backend's messages of a field, for `add_error`."""
    return [_said(each) for each in messages]


def _said(text: str) -> ValidationError:
    # The empty text is the head of a catalog.
    translated = gettext(text) if text else text
    is_of_the_page = translated != text or active_locale() == current_backend().language
    return ValidationError(translated) if is_of_the_page else BackendTextError(text)


def use_plain_messages(fields: Iterable[forms.Field]) -> None:
    """Replace Django's own messages; those that a form gives itself stay."""
    for field in fields:
        defaults: dict[str, Any] = {}
        for kind in reversed(type(field).__mro__):
            defaults |= getattr(kind, "default_error_messages", {})
        for code, text in PLAIN_MESSAGES.items():
            if field.error_messages.get(code) is defaults.get(code):
                field.error_messages[code] = text
