"""Forms whose fields have the backend's names, and which show the backend's errors at those fields."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from portal.errors import ApiConflictError, ApiUnavailableError, ApiValidationError

if TYPE_CHECKING:
    from portal.query import MutationResult

#: Unicode categories: control characters, surrogates, separators of lines and of paragraphs.
_CONTROLS: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
_PHONE: Final = re.compile(r"\+?[0-9 ()./-]+", re.ASCII)
#: Number of digits; E.164 allows 15.
_PHONE_DIGITS: Final = range(5, 16)


def one_line(value: str) -> None:
    """A validator: the text has no control characters and no line breaks.

    :raises ValidationError: it has.
    """
    if any(unicodedata.category(character) in _CONTROLS for character in value):
        raise ValidationError(_("Control characters are not allowed."), code="control")


def telephone(value: str) -> None:
    """A validator: the text is a telephone number.

    :raises ValidationError: it is not.
    """
    if not _PHONE.fullmatch(value) or sum(c.isdigit() for c in value) not in _PHONE_DIGITS:
        raise ValidationError(_("Enter a telephone number, such as +49 30 901820."), code="phone")


class BackendForm(forms.Form):
    """A form whose fields have the backend's names (contract, section 6, "Form fields have the API's names").

    :ivar outage: set if the backend did not answer; the form can be sent again.
    :ivar was_rejected: the backend answered with an error.
    """

    outage: ApiUnavailableError | None = None
    was_rejected = False
    # The page shows what is required; a browser's own messages would not be in the page's language.
    use_required_attribute = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            # A browser silently cuts a pasted text at this length; the form shows an error instead.
            field.widget.attrs.pop("maxlength", None)

    def body(self) -> Any:
        """The body of the request: the cleaned fields, with null for an empty text."""
        return {name: None if value == "" else value for name, value in self.cleaned_data.items()}

    def show_backend_error(self, result: MutationResult[Any]) -> None:
        """Show why the write failed, if the user can correct the form or send it again.

        :raises portal.errors.ApiError: any other failure, which becomes the page.
        """
        error = result.error
        if isinstance(error, ApiUnavailableError):
            self.outage = error
            return
        self.was_rejected = True
        if isinstance(error, ApiConflictError):
            self.add_error(None, error.detail or _("This has changed meanwhile"))
        elif not isinstance(error, ApiValidationError):
            result.unwrap()
        elif not error.errors:
            self.add_error(None, error.detail or _("The service does not accept this."))
        else:
            for name, messages in error.errors.items():
                self.add_error(name if name in self.fields else None, list(messages))
