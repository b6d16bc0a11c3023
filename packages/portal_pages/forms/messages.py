"""What a form says of its fields: Django's messages in plain words, and the backend's in the page's language.

The backend writes in one language (`language` of its class). Where the catalogs have a translation of its text, that is
shown. Any other text is shown as it is, marked with its language.

405 and 501 say that the backend does not take a write at all. A 404 is said of the row, or of the write: that a row was
deleted is said only after a GET of it has answered 404 or 410 (contract, section 7).
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop as msgid

from portal.api import current_backend
from portal.errors import ApiAbsentError, ApiError, ApiForbiddenError, ApiNotFoundError
from portal.query import PaginatedQueryHook, Row, client_of
from portal.web.present import part_if_answered
from portal.web.request import active_locale

NO_CREATES: Final = _("Nothing can be added here: the service does not offer it.")
NO_CHANGES: Final = _("This can’t be changed: the service does not offer it.")
NO_NOTES: Final = _("No notes can be written here: the service does not offer it.")
NO_RESTORES: Final = _("This can’t be brought back: the service does not offer it.")
NO_DELETES: Final = _("This can’t be deleted: the service does not offer it.")
NOT_ALLOWED: Final = _("Your account lacks the permission for this. Ask your administrator if you need it.")


def is_not_taken(error: ApiError | None) -> bool:
    """Whether a write failed because the backend does not have the call, as far as its answer alone tells."""
    return isinstance(error, ApiAbsentError)


def is_not_taken_of_row(request: HttpRequest, error: ApiError | None, row_id: str, *, query: Any) -> bool:
    """The same of the write of a row. After a 404 the row is read.

    :param query: the hook that reads the row; None if nothing does.
    :raises portal.errors.ApiNotFoundError: the row is not there: a GET has said so.
    :raises portal.errors.ApiError: whether the row is there is not known.
    """
    if query is not None and isinstance(error, ApiNotFoundError) and not is_not_taken(error):
        # Past the cache, which may hold a row that is gone.
        found = client_of(request).run(replace(query.spec(id=row_id), force=True))
        if found.error is not None:
            raise found.error
    return is_not_taken(error)


def refusal_of(error: ApiError | None) -> str:
    """What is said where the backend does not do this, or not for this user; empty for anything else."""
    if is_not_taken(error):
        return str(NO_CHANGES)
    if isinstance(error, ApiNotFoundError):
        return error.detail or str(NO_CHANGES)
    return str(NOT_ALLOWED) if isinstance(error, ApiForbiddenError) else ""


def refusal_of_row(request: HttpRequest, error: ApiError | None, row_id: str, *, page: Any) -> str:
    """The same of the write of a row. After a 404 the row is read.

    :param page: the page that writes; its `query` reads the row.
    :raises portal.errors.ApiError: as above.
    """
    is_not_taken_of_row(request, error, row_id, query=page.query)
    return refusal_of(error)


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


#: Of a checkbox: the value that stands in another row too, and is to be created all the same.
CREATE_ANYWAY: Final = "createAnyway"


class DoubleError(ValidationError):
    """Another row has the same value; the form can be sent all the same.

    :ivar route: name of the URL of such a row; empty where there is no page of one.
    """

    def __init__(self, row: Row, *, route: str, value: str) -> None:
        super().__init__(gettext("There is already an entry with this value: %(row)s") % {"row": row})
        self.row, self.route, self.value = row, route, value


def ask_about_doubles(
    request: HttpRequest,
    form: Any,
    *,
    values: Mapping[str, Any],
    rows: PaginatedQueryHook[Any, ...],
    among: Mapping[str, Collection[Any]],
    route: str,
) -> bool:
    """Add an error for each value that another row has, unless the user wants it so.

    What the backend neither searches for nor narrows its list to, or does not answer, is not asked about.

    :param values: by their fields; or by a parameter of the list, without which its rows do not have to show it.
    :param among: values by attribute: rows with others do not count.
    :returns: whether there is such an error.
    """
    wanted = {each.casefold() for each in request.POST.getlist(CREATE_ANYWAY)}
    params = getattr(rows.params, "__struct_fields__", ())
    for name, typed in values.items():
        value = str(typed or "").casefold()
        if not value or value in wanted:
            continue
        known = {each: given for each, given in {**among, name: typed}.items() if each in params}
        found = part_if_answered(rows(request, **(known if name in known else {**known, "q": value})))
        for row in found.items if found and not found.ignored else ():
            is_same = str(getattr(row, name, value)).casefold() == value
            if is_same and all(getattr(row, each) in some for each, some in among.items()):
                form.add_error(name if name in form.fields else None, DoubleError(row, route=route, value=value))
                break
    return bool(form.errors)


def use_plain_messages(fields: Iterable[forms.Field]) -> None:
    """Replace Django's own messages; those that a form gives itself stay."""
    for field in fields:
        defaults: dict[str, Any] = {}
        for kind in reversed(type(field).__mro__):
            defaults |= getattr(kind, "default_error_messages", {})
        for code, text in PLAIN_MESSAGES.items():
            if field.error_messages.get(code) is defaults.get(code):
                field.error_messages[code] = text
