"""Forms that send what they hold to the backend, and show the backend's own complaints at their fields."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from portal.errors import ApiConflictError, ApiValidationError

if TYPE_CHECKING:
    from portal.errors import ApiError, ApiUnavailableError

_CONTROLS: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
_PHONE: Final = re.compile(r"\+?[0-9 ()./-]+", re.ASCII)
#: Digits of a telephone number; E.164 allows 15.
_PHONE_DIGITS: Final = range(5, 16)


def one_line(value: str) -> None:
    """Refuse control characters and what breaks a line.

    :raises ValidationError: there is one.
    """
    if any(unicodedata.category(character) in _CONTROLS for character in value):
        raise ValidationError(_("Control characters are not allowed."), code="control")


def telephone(value: str) -> None:
    """Refuse what is no telephone number as people write it.

    :raises ValidationError: it is none.
    """
    if not _PHONE.fullmatch(value) or sum(c.isdigit() for c in value) not in _PHONE_DIGITS:
        raise ValidationError(_("Enter a telephone number, such as +49 30 901820."), code="phone")


class BackendForm(forms.Form):
    """A form whose fields carry the names of the wire (contract, section 6, "Form fields have the API's names").

    `outage` says that the backend did not answer it, `was_refused` that it answered with a no.
    """

    outage: ApiUnavailableError | None = None
    was_refused = False
    # The page's own style shows what is required, and the browser's bubbles do not speak the page's language.
    use_required_attribute = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            # A browser cuts what is pasted at this length without a word; the form says what is wrong instead.
            field.widget.attrs.pop("maxlength", None)

    def body(self) -> dict[str, Any]:
        """What is sent: the cleaned fields, an empty one as null."""
        return {name: None if value == "" else value for name, value in self.cleaned_data.items()}

    def add_backend_error(self, error: ApiError) -> bool:
        """Take over a refusal that the user can cure in this form.

        :returns: False for any other error; the caller then lets it become a page.
        """
        self.was_refused = True
        if isinstance(error, ApiConflictError):
            self.add_error(None, error.detail or _("This has changed meanwhile"))
            return True
        if not isinstance(error, ApiValidationError):
            return False
        for name, messages in error.errors.items():
            for message in messages:
                self.add_error(name if name in self.fields else None, message)
        if not error.errors:
            self.add_error(None, error.detail or _("The service does not accept this."))
        return True
