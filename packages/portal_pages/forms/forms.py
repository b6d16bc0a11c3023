"""Forms of a row: fields by the row's attributes, and the backend's errors at those fields."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, ClassVar, Final, Generic, TypeVar, get_args

from django import forms
from django.core.exceptions import ValidationError
from django.forms.boundfield import BoundField
from django.forms.forms import DeclarativeFieldsMetaclass
from django.utils.translation import gettext_lazy as _

from portal.errors import (
    ApiClientError,
    ApiConflictError,
    ApiForbiddenError,
    ApiNotFoundError,
    ApiPreconditionFailedError,
    ApiUnavailableError,
    ApiValidationError,
    UsageError,
)
from portal.query import MutationResult, Partial, Row
from portal.web.present import in_active_zone
from portal_pages.forms.form_fields import (
    NO_CHOICE,
    CodeField,
    FormOptions,
    accepts_none,
    code_text,
    form_fields,
    row_fields,
    version_in,
)
from portal_pages.forms.messages import NOT_ALLOWED, backend_errors, use_plain_messages

TRow = TypeVar("TRow", bound=Row)
#: Types of `<input>` into which a browser would put what it knows of its own user, in place of a row's data.
_TYPED_TEXTS: Final = frozenset({"text", "email", "number", "tel", "url"})


def _row_of(form: type) -> type[Row] | None:
    """The row in `BackendForm[Client]`, of the form or of what it derives from."""
    for base in form.__mro__:
        for generic in vars(base).get("__orig_bases__", ()):
            for argument in get_args(generic):
                if isinstance(argument, type) and issubclass(argument, Row):
                    return argument
    return None


class BackendFormType(DeclarativeFieldsMetaclass):
    """Makes a form: takes the fields that `class Meta` names from the row, as Django's own takes them from a model."""

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:  # noqa: N805  a metaclass: its instance is a class
        super().__init__(name, bases, namespace)
        made: Any = cls
        row = _row_of(cls)
        if row is not None:
            options = FormOptions.of(getattr(cls, "Meta", None), form=name)
            made.row_class = row
            made.base_fields = form_fields(row, options=options, declared=made.declared_fields, form=name)
            use_plain_messages(made.base_fields.values())
        elif made.declared_fields or hasattr(cls, "Meta"):
            raise UsageError(f"{name}: name the row whose form it is, as in class {name}(BackendForm[Client])")


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldConflict:
    """The two values of a field, as texts.

    :param chosen: `mine`, `theirs`, or empty as long as the user has not chosen.
    """

    mine: str
    theirs: str
    chosen: str = ""


class BackendForm(forms.Form, Generic[TRow], metaclass=BackendFormType):
    """A form for some attributes of a row: `class OrderForm(BackendForm[Order])`.

    ::

        class Meta:
            fields = {"buyer": _("Buyer"), "amount": _("Amount"), "status": _("Status")}
            optional = ("status",)
            choices = {"status": STATUSES}

    `Meta.fields` has the fields with their labels; the other options are those of
    :class:`~portal_pages.forms.form_fields.FormOptions`. A field that the class declares itself comes in place of
    the row's. In HTML a field has its name on the wire (contract, section 6, "Form fields have the API's names").

    :ivar outage: set if the backend did not answer; the form can be sent again.
    :ivar was_rejected: the backend answered with an error.
    :ivar version: of the row that the form shows; None for a row without one.
    :ivar conflicts: attributes that somebody else has changed too since the form was shown, with both values.
    :ivar changed_meanwhile: labels of the fields that somebody else alone has changed, and whose new values it shows.
    :raises UsageError: when the class is made: the row has no such attribute, or one whose type has no field.
    """

    row_class: ClassVar[type[Row]]
    outage: ApiUnavailableError | None = None
    was_rejected = False
    version: int | None = None
    conflicts: Mapping[str, FieldConflict] = MappingProxyType({})
    changed_meanwhile: tuple[str, ...] = ()
    # The page shows what is required; a browser's own messages would not be in the page's language.
    use_required_attribute = False

    def __init__(
        self, data: Mapping[str, Any] | None = None, *args: Any, row: TRow | None = None, **options: Any
    ) -> None:
        """Make a form.

        :param data: what was sent, such as `request.POST`; None for a form that was not sent.
        :param row: what the form shows, unless it was sent.
        """
        if row is not None:
            shown = {name: getattr(row, name) for name in self.base_fields}
            options["initial"] = {
                name: in_active_zone(value) if isinstance(value, datetime) else value for name, value in shown.items()
            }
            self.version = getattr(row, "version", None)
        if data is not None:
            self.version = version_in(data)
        super().__init__(data, *args, **options)
        for name, field in self.fields.items():
            # A browser silently cuts a pasted text at this length; the form shows an error instead.
            field.widget.attrs.pop("maxlength", None)
            if getattr(field.widget, "input_type", "") in _TYPED_TEXTS:
                field.widget.attrs.setdefault("autocomplete", "off")
            if row is not None if data is None else self.add_initial_prefix(name) in data:
                field.show_hidden_initial = True
            if isinstance(field, forms.ChoiceField) and (row is not None or name in self.shown_names):
                _keep_choice(field, value=self._shown_text(name) if row is None else getattr(row, name))

    def _clean_fields(self) -> None:
        """Validate what was changed. A value that the form showed at first is the row's own: the backend judges it."""
        super()._clean_fields()  # type: ignore[misc]  # the stubs leave it out
        for name in [each for each in self.shown_names if each in self.errors and self._is_untouched(each)]:
            del self.errors[name]
            with suppress(ValidationError):
                self.cleaned_data[name] = self._shown_value(name)

    def _is_untouched(self, name: str) -> bool:
        is_unknown_row = bool(getattr(self.fields[name].widget, "problem", ""))
        return not is_unknown_row and (self[name].data == self._shown_text(name) or name not in self.changed_data)

    def __getitem__(self, name: str) -> BoundField:
        """A field as it is shown. It has the form; if the form kept it, only a garbage collection would free both."""
        shown = super().__getitem__(name)
        vars(self)["_bound_fields_cache"].clear()
        return shown

    @property
    def suggests(self) -> bool:
        """Whether a field has suggestions, which a script fetches."""
        return any(getattr(field, "suggests", False) for field in self.fields.values())

    def add_prefix(self, field_name: str) -> str:
        """The field's name in HTML: its name on the wire. Django asks for the names of other elements as well."""
        info = row_fields(self.row_class).get(field_name)
        return super().add_prefix(field_name if info is None else info.encode_name)

    def body(self, *, nulls: bool = False) -> Partial[TRow]:
        """The body of a POST: the cleaned fields. An empty field is left out; a text that may not be None is empty.

        :param nulls: send null for it, if the attribute may be None: in a PATCH or PUT that clears it.
        """
        attributes = row_fields(self.row_class)
        sent = {}
        for name, typed in self.cleaned_data.items():
            # Of an hour that comes twice, what was typed means the first, and what was shown may be the second.
            is_shown_time = isinstance(typed, datetime) and name in self.shown_names and name not in self.changed_data
            value = self._shown_value(name) if is_shown_time else typed
            may_be_none = accepts_none(attributes[name].type)
            if value == "" and may_be_none:
                value = None
            if value is not None or (nulls and may_be_none):
                sent[name] = value
        made: Any = self.row_class
        partial: Partial[TRow] = made.partial(**sent)
        return partial

    def changes(self) -> Partial[TRow]:
        """The body of a PATCH: the fields that no longer have the value which the form showed at first.

        The form of a row sends those values too, in hidden fields. Without them, each field counts as changed. What
        somebody else has changed since then stays, and so does a value that the row's class can't hold.
        """
        body, changed = self.body(nulls=True), set(self.changed_data)
        sent = {
            name: value
            for name, value in body.fields.items()
            if name in changed or self.add_initial_prefix(name) not in self.data
        }
        return replace(body, fields=sent)

    @property
    def shown_names(self) -> tuple[str, ...]:
        """Attributes whose values the form showed at first, as the hidden fields of a sent form say."""
        return tuple(name for name in self.fields if self.add_initial_prefix(name) in self.data)

    def showed_another(self, name: str, value: object) -> bool:
        """Whether the form showed another value of the attribute at first; True if it did not show the attribute."""
        field = self.fields.get(name)
        if field is None or self.add_initial_prefix(name) not in self.data:
            return True
        shown = self._shown_text(name)
        if isinstance(value, str) and shown == value:
            # Spaces at its ends are the row's own, and no change.
            return False
        if isinstance(value, datetime):
            value = in_active_zone(value.replace(microsecond=0))
        return field.has_changed(value, shown)

    def _shown_text(self, name: str) -> Any:
        """What the hidden field of an attribute has."""
        widget = self.fields[name].hidden_widget()
        return widget.value_from_datadict(self.data, self.files, self.add_initial_prefix(name))

    def _shown_value(self, name: str) -> Any:
        """The value that the form showed at first.

        :raises ValidationError: the hidden field has none.
        """
        return self.fields[name].to_python(self._shown_text(name))

    @property
    def shown_row(self) -> TRow:
        """The row as the form showed it at first, as far as it did."""
        shown = {}
        for name in self.shown_names:
            with suppress(ValidationError):
                shown[name] = self._shown_value(name)
        made: Any = self.row_class
        row: TRow = made(**shown)
        return row

    def show_backend_error(self, result: MutationResult[Any]) -> None:
        """Show why the write failed, if the user can correct the form or send it again.

        :raises portal.errors.ApiError: any other failure, which becomes the page.
        """
        error = result.error
        if isinstance(error, ApiUnavailableError):
            self.outage = error
            return
        self.was_rejected = True
        if isinstance(error, ApiPreconditionFailedError):
            self.add_error(None, _("Others change this at the same time. Nothing was saved; please send it again."))
        elif isinstance(error, ApiConflictError):
            self.add_error(None, backend_errors([error.detail]) if error.detail else _("This has changed meanwhile"))
        elif isinstance(error, ApiForbiddenError):
            self.add_error(None, NOT_ALLOWED)
        elif not isinstance(error, ApiValidationError | ApiClientError | ApiNotFoundError):
            result.unwrap()
        elif not isinstance(error, ApiValidationError) or not error.errors:
            text = _("The service does not accept this.")
            self.add_error(None, backend_errors([error.detail]) if error.detail else text)
        else:
            names = {info.encode_name: name for name, info in row_fields(self.row_class).items()}
            for wire_name, messages in error.errors.items():
                name = names.get(wire_name)
                if name in self.fields:
                    self.add_error(name, backend_errors(messages))
                else:
                    # "This field is required" says nothing without the name of a field that is not shown.
                    self.add_error(None, backend_errors(f"{wire_name}: {each}" if name else each for each in messages))


def _keep_choice(field: forms.ChoiceField, *, value: object) -> None:
    """Offer the row's own values beside those that are known: what a newer backend has stays if nobody changes it.

    A row without a value has an empty choice: otherwise a browser would send the first one.
    """
    values = value if isinstance(value, list | tuple | set | frozenset) else (value,)
    known: Any = field.choices
    for each in values:
        text = "" if each is None else code_text(each)
        if field.valid_value(text):
            continue
        if text:
            known = [*known, (text, text)]
            if isinstance(field, CodeField):
                field.keep(each)
        elif all(code != "" for code, _label in known):
            known = [NO_CHOICE, *known]
    field.choices = known
