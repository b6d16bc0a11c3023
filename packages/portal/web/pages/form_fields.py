"""Form fields from the attributes of a row: what a `class Meta` may say, and the field for each type."""

from __future__ import annotations

import dataclasses
from copy import copy
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, Union, get_args, get_origin

from django import forms
from django.utils.translation import gettext_lazy as _

from portal.errors import UsageError
from portal.query import field_types
from portal.web.pages.validators import one_line
from portal.web.present import NO_VALUE, Badge

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from msgspec.structs import FieldInfo

    from portal.query import Row
    from portal.web.present import LazyText

#: What `<input type="date">` and `<input type="datetime-local">` take and send, whatever the language.
_DAY: Final = "%Y-%m-%d"
_TIME: Final = "%Y-%m-%dT%H:%M:%S"


@dataclass(frozen=True, slots=True, kw_only=True)
class FormOptions:
    """What `class Meta` of a form says. The keys are attributes of the row.

    :param fields: the form's fields in their order, each with its label.
    :param optional: those that may be empty.
    :param choices: value to its label, or to its badge, for a select.
    :param initial: what an empty form shows.
    :param max_lengths: of texts.
    """

    fields: Mapping[str, LazyText] = field(default_factory=dict)
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

        :raises UsageError: it has an option that there is not, or one for a field that the form does not have.
        """
        known = [each.name for each in dataclasses.fields(cls)]
        given = [name for name in dir(meta) if not name.startswith("_")] if meta is not None else []
        _refuse_unknown(given, known=known, message=f"{form}.Meta has no option")
        options = cls(**{name: getattr(meta, name) for name in given})
        for option in known[1:]:
            message = f"{form}.Meta.{option} names a field that Meta.fields does not:"
            _refuse_unknown(getattr(options, option), known=list(options.fields), message=message)
        return options


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
            # A copy, since a form that derives from this one may have another label for it.
            found[name] = copy(declared[name])
            found[name].label = found[name].label or options.fields.get(name)
        else:
            found[name] = _derived(name, attributes[name].type, options=options, form=form)
    return found


def accepts_none(kind: Any) -> bool:
    """Whether an attribute of this type may be None."""
    return NoneType in get_args(kind)


def _derived(name: str, kind: Any, *, options: FormOptions, form: str) -> forms.Field:
    shown = kind
    if get_origin(kind) in {Union, UnionType}:
        shown = next((part for part in get_args(kind) if part is not NoneType), kind)
    settings: dict[str, Any] = {
        "required": name not in options.optional,
        "label": options.fields[name],
        "error_messages": options.error_messages.get(name),
    }
    for option, given in (("initial", options.initial), ("help_text", options.help_texts), ("widget", options.widgets)):
        if name in given:
            settings[option] = given[name]
    if name in options.choices or (isinstance(shown, type) and issubclass(shown, Enum)):
        return _choice(name, shown, options=options, **settings)
    if shown is str:
        return forms.CharField(max_length=options.max_lengths.get(name), validators=[one_line], **settings)
    make = _FIELDS.get(shown)
    if make is None:
        raise UsageError(f"{form}: declare the field {name!r} itself: there is none for the type {kind}")
    return make(**settings)


def _choice(name: str, kind: Any, *, options: FormOptions, **settings: Any) -> forms.Field:
    labels = options.choices.get(name) or {member: member.value for member in kind}
    choices = [(str(code), each.label if isinstance(each, Badge) else each) for code, each in labels.items()]
    if name not in options.initial:
        choices = [("", NO_VALUE), *choices]
    return forms.TypedChoiceField(choices=choices, coerce=kind, empty_value=None, **settings)


def _boolean(*, required: bool, **settings: Any) -> forms.Field:
    """A checkbox. Whether it is required makes no difference: without a mark it is False."""
    del required
    return forms.BooleanField(required=False, **settings)


def _day(**settings: Any) -> forms.Field:
    widget = forms.DateInput(format=_DAY, attrs={"type": "date"})
    return forms.DateField(**{"widget": widget, "input_formats": [_DAY], **settings})


def _time(**settings: Any) -> forms.Field:
    """A time in UTC: that of the browser is not known."""
    widget = forms.DateTimeInput(format=_TIME, attrs={"type": "datetime-local", "step": "1"})
    return forms.DateTimeField(**{"widget": widget, "help_text": _("The time is in UTC."), **settings})


_FIELDS: Final[Mapping[Any, Callable[..., forms.Field]]] = {
    bool: _boolean,
    int: forms.IntegerField,
    float: forms.FloatField,
    Decimal: forms.DecimalField,
    datetime: _time,
    date: _day,
}


def _refuse_unknown(names: Iterable[str], *, known: Collection[str], message: str) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"{message} {', '.join(map(repr, unknown))}; there are {', '.join(known)}")
