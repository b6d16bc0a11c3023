"""Form fields from the attributes of a row: what a `class Meta` may say, and the field for each type."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Final, TypeGuard, Union, get_args, get_origin

from django import forms
from django.utils.translation import gettext_lazy as _
from msgspec.structs import FieldInfo

from portal.errors import UsageError
from portal.query import Row, field_types
from portal.web.present import NO_VALUE, Badge, LazyText
from portal_pages.forms.text_fields import TEXT_FIELDS, text_field
from portal_pages.forms.time_fields import time_field
from portal_pages.lists import Column

#: Name of the hidden field with the row's version.
VERSION_INPUT: Final = "rowVersion"
_VERSION: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
#: What `<input type="date">` takes and sends, whatever the language.
_DAY: Final = "%Y-%m-%d"


@dataclass(frozen=True, slots=True, kw_only=True)
class FormOptions:
    """What `class Meta` of a form says. The keys are attributes of the row.

    :param fields: the form's fields in their order, each with its label; or with the list's column of that name, whose
        words are its choices. With the format `mailto` it is an email address, with `tel` a telephone number.
    :param optional: those that may be empty.
    :param choices: value to its label, or to its badge, for a select.
    :param initial: what an empty form shows.
    :param max_lengths: of texts.
    """

    fields: Mapping[str, LazyText | Column] = field(default_factory=dict)
    optional: Collection[str] = ()
    choices: Mapping[str, Mapping[Any, LazyText | Badge]] = field(default_factory=dict)
    initial: Mapping[str, Any] = field(default_factory=dict)
    max_lengths: Mapping[str, int] = field(default_factory=dict)
    help_texts: Mapping[str, LazyText] = field(default_factory=dict)
    error_messages: Mapping[str, Mapping[str, LazyText]] = field(default_factory=dict)
    widgets: Mapping[str, forms.Widget | type[forms.Widget]] = field(default_factory=dict)

    @classmethod
    def of(cls, meta: object, *, form: str) -> FormOptions:
        """The options of a `class Meta`; None has none.

        :raises UsageError: it has an option that there is not, or of another kind, or one for a field that the form
            does not have.
        """
        known = [each.name for each in dataclasses.fields(cls)]
        given = [name for name in dir(meta) if not name.startswith("_")] if meta is not None else []
        _refuse_unknown(given, known=known, message=f"{form}.Meta has no option")
        options = cls(**{name: getattr(meta, name) for name in given})
        for option in known:
            if option != "optional":
                _check_mapping(getattr(options, option), what=f"{form}.Meta.{option}")
        for name, choices in options.choices.items():
            _check_mapping(choices, what=f"{form}.Meta.choices[{name!r}]")
        for option in known[1:]:
            message = f"{form}.Meta.{option} names a field that Meta.fields does not:"
            _refuse_unknown(getattr(options, option), known=list(options.fields), message=message)
        columns = {name: each for name, each in options.fields.items() if isinstance(each, Column)}
        words = {name: each.words for name, each in columns.items() if each.words is not None}
        return dataclasses.replace(options, choices={**words, **options.choices})

    def options_of(self, name: str) -> list[str]:
        """The options that name a field, but for its label."""
        return [each.name for each in dataclasses.fields(self)[1:] if name in getattr(self, each.name)]


@lru_cache(maxsize=512)
def row_fields(row: type[Row]) -> Mapping[str, FieldInfo]:
    """The attributes of a row, each with its type and its name on the wire."""
    return {info.name: info for info in field_types(row).values()}


def form_fields(
    row: type[Row], *, options: FormOptions, declared: Mapping[str, forms.Field], form: str
) -> dict[str, forms.Field]:
    """The fields of a form for `row`, in the order of `options.fields`.

    :param declared: the fields that the form declares itself. They come in place of those of the row.
    :raises UsageError: the row has no such attribute, or one whose type has no field.
    """
    attributes = row_fields(row)
    names = list(dict.fromkeys((*options.fields, *declared)))
    _refuse_unknown(names, known=list(attributes), message=f"{form}: {row.__name__} has no field")
    found = {}
    for name in names:
        if name in declared:
            for option in options.options_of(name):
                raise UsageError(
                    f"{form}.Meta.{option} has no effect on {name!r}, a field that the form declares itself"
                )
            # A copy, since a form that derives from this one may have another label for it.
            field_ = found[name] = copy(declared[name])
            field_.label = field_.label or _label(options.fields.get(name))
            if field_.label is None and not field_.widget.is_hidden:
                raise UsageError(f"{form}: give the field {name!r} a label, in Meta.fields")
        else:
            try:
                found[name] = _derived(name, attributes[name].type, options=options)
            except UsageError as error:
                raise UsageError(f"{form}: {error}") from None
    return found


def version_in(sent: Mapping[str, Any]) -> int | None:
    """The version of the row that the page showed, as its form sends it; None if it had none."""
    version = str(sent.get(VERSION_INPUT) or "")
    return int(version) if _VERSION.fullmatch(version) else None


def accepts_none(kind: Any) -> bool:
    """Whether an attribute of this type may be None."""
    return NoneType in get_args(kind)


def code_text(code: object) -> str:
    """A value of a select as HTML has it: the value of an enumeration's member, any other value as its text."""
    return str(code.value if isinstance(code, Enum) else code)


class CodeField(forms.ChoiceField):
    """A select whose values are those of an attribute: members of an enumeration, texts, numbers, True and False.

    :param codes: each value with its label.
    :param no_code: what an empty select stands for; one with a first value is not empty.
    """

    def __init__(self, *, codes: Mapping[Any, LazyText], no_code: object, **settings: Any) -> None:
        self.codes: Mapping[str, object] = {code_text(code): code for code in codes}
        self.no_code = no_code
        choices: list[tuple[str, LazyText]] = [(code_text(code), label) for code, label in codes.items()]
        super().__init__(choices=choices if settings.get("initial") else [NO_CHOICE, *choices], **settings)

    def prepare_value(self, value: Any) -> Any:
        """As HTML has it."""
        return value if value is None else code_text(value)

    def clean(self, value: Any) -> Any:
        """The value that was chosen.

        :raises ValidationError: it is none of the choices.
        """
        text: str = super().clean(value)
        return self.codes[text] if text else self.no_code

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether the choice is another one."""
        return bool(super().has_changed(self.prepare_value(initial), data))

    def keep(self, value: object) -> None:
        """Offer a value beside those that are known."""
        self.codes = {**self.codes, code_text(value): value}


NO_CHOICE: Final = ("", NO_VALUE)


def _derived(name: str, kind: Any, *, options: FormOptions) -> forms.Field:
    shown = kind
    if get_origin(kind) in {Union, UnionType}:
        shown = next((part for part in get_args(kind) if part is not NoneType), kind)
    settings: dict[str, Any] = {
        "required": name not in options.optional,
        "label": _label(options.fields[name]),
        "error_messages": options.error_messages.get(name),
    }
    for option, given in (("initial", options.initial), ("help_text", options.help_texts), ("widget", options.widgets)):
        if name in given:
            settings[option] = given[name]
    if name in options.max_lengths and shown is not str:
        raise UsageError(f"Meta.max_lengths is for texts, and {name!r} is {kind}")
    if name in options.choices or _is_enum(shown) or (shown is bool and accepts_none(kind)):
        empty = "" if shown is str and not accepts_none(kind) else None
        return CodeField(codes=_codes(name, shown, options=options), no_code=empty, **settings)
    if shown is str:
        make: Callable[..., forms.Field] = TEXT_FIELDS.get(getattr(options.fields[name], "format", ""), text_field)
        return make(max_length=options.max_lengths.get(name), **settings)
    if shown not in _FIELDS:
        raise UsageError(f"declare the field {name!r} itself: there is none for the type {kind}")
    return _FIELDS[shown](**settings)


def _label(given: LazyText | Column | None) -> LazyText | None:
    return given.label if isinstance(given, Column) else given


def _is_enum(kind: Any) -> TypeGuard[type[Enum]]:
    return isinstance(kind, type) and issubclass(kind, Enum)


def _codes(name: str, kind: Any, *, options: FormOptions) -> dict[Any, LazyText]:
    """The values of a select, each with its label.

    :raises UsageError: a value is none of the attribute's type, or the first value none of the select.
    """
    if kind not in {str, *_FIELDS} and not _is_enum(kind):
        raise UsageError(f"declare the field {name!r} itself: a select has one value, and not {kind}")
    members: Mapping[Any, LazyText] = {member: member.value for member in kind} if _is_enum(kind) else {}
    given = options.choices.get(name, members or YES_OR_NO)
    for code in given:
        if code not in members if members else not isinstance(code, kind):
            raise UsageError(f"Meta.choices: {code!r} is no {kind.__name__}, of which {name!r} is one")
    first = options.initial.get(name)
    if first is not None and not callable(first) and first not in given:
        raise UsageError(f"Meta.initial: {first!r} is none of the choices of {name!r}")
    return {code: each.label if isinstance(each, Badge) else each for code, each in given.items()}


YES_OR_NO: Final[Mapping[bool, LazyText]] = {True: _("Yes"), False: _("No")}


def _boolean(*, required: bool, **settings: Any) -> forms.Field:
    """A checkbox. Whether it is required makes no difference: without a mark it is False."""
    del required
    return forms.BooleanField(required=False, **settings)


def _day(**settings: Any) -> forms.Field:
    widget = forms.DateInput(format=_DAY, attrs={"type": "date"})
    return forms.DateField(**{"widget": widget, "input_formats": [_DAY], **settings})


_FIELDS: Final[Mapping[Any, Callable[..., forms.Field]]] = {
    bool: _boolean,
    int: forms.IntegerField,
    float: forms.FloatField,
    Decimal: forms.DecimalField,
    datetime: time_field,
    date: _day,
}


def _check_mapping(value: object, *, what: str) -> None:
    if not isinstance(value, Mapping):
        raise UsageError(f"{what} should be a mapping, not {type(value).__name__}")


def _refuse_unknown(names: Iterable[str], *, known: Collection[str], message: str) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"{message} {', '.join(map(repr, unknown))}; there are {', '.join(known)}")
