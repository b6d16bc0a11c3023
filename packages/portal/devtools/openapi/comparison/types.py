"""Whether a declared type fits a shape of the schema. A declaration may have fewer fields, never others."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Literal, get_args, get_origin

from portal.config.wire_names import CREATED_AT_FIELD, ID_FIELD
from portal.devtools.openapi.comparison.declared_types import DeclaredField, alternatives, fields_of, name_of
from portal.devtools.openapi.schema import Enumeration, ListOf, MapOf, ObjectOf, Scalar, Shape, ValueKind, in_words
from portal.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

#: What each type can hold. A text without a format may well be a decimal or a time: a person may know.
_HOLDS: Final[Mapping[type, frozenset[ValueKind]]] = {
    str: frozenset({"text", "time", "day", "decimal"}),
    int: frozenset({"integer"}),
    float: frozenset({"integer", "number"}),
    bool: frozenset({"boolean"}),
    Decimal: frozenset({"decimal", "integer", "number", "text"}),
    datetime: frozenset({"time", "text"}),
    date: frozenset({"day", "text"}),
}
_SEQUENCES: Final = frozenset({list, tuple, set, frozenset})


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeFault:
    """What does not fit.

    :param declared: the field; None for the type as a whole.
    """

    message: str
    declared: DeclaredField | None = None


def no_such(what: str, name: str, known: Iterable[str]) -> str:
    """`no field clientNmae; did you mean 'clientName'?`"""
    return "; ".join(filter(None, (f"no {what} {name}", did_you_mean(name, known))))


@dataclass(kw_only=True)
class Comparison:
    """Holds types against shapes.

    :param sent: the value is sent, not received: then null and values that are not known do not matter.
    :param of_a_row: some fields of a row are sent: then it does not matter either that a row has more values.
    """

    sent: bool
    of_a_row: bool = False
    _seen: set[tuple[Any, str]] = field(default_factory=set)

    def faults(self, kind: Any, shape: Shape, *, declared: DeclaredField | None = None) -> Iterator[TypeFault]:
        """What does not fit; nothing where all does.

        :param declared: the field whose type it is.
        """
        kinds, may_be_none = alternatives(kind)
        if Any in kinds or object in kinds or (isinstance(shape, Scalar) and shape.kind == "any"):
            return
        if declared and shape.nullable and not (may_be_none or self.sent) and isinstance(shape, Scalar):
            message = f"{declared.title} is never None here, and may be null in the schema"
            yield TypeFault(message=message, declared=declared)
        each = [list(self._faults_of(one, shape, declared=declared)) for one in kinds]
        if all(each):
            yield from each[0]

    def _faults_of(self, kind: Any, shape: Shape, *, declared: DeclaredField | None) -> Iterator[TypeFault]:
        values, parts = _values(kind), _parts(kind, shape)
        if values is not None and isinstance(shape, Enumeration):
            yield from self._value_faults(kind, values, shape, declared=declared)
        elif isinstance(shape, ObjectOf) and fields_of(kind) is not None:
            yield from self.field_faults(kind, shape)
        elif parts is not None:
            for part, inside in parts:
                yield from self.faults(part, inside, declared=declared)
        elif not _holds(kind, shape) and not _is_id(declared, shape):
            title = f"{declared.title} is" if declared else "it is"
            message = f"{title} {name_of(kind)} here, and {in_words(shape)} in the schema"
            yield TypeFault(message=message, declared=declared)

    def field_faults(self, kind: Any, shape: ObjectOf) -> Iterator[TypeFault]:
        """What does not fit of the fields of a record, or of a TypedDict."""
        if (kind, shape.pointer) in self._seen:
            return
        self._seen.add((kind, shape.pointer))
        for wire, declared in (fields_of(kind) or {}).items():
            member = shape.fields.get(wire)
            if member is not None:
                yield from self.faults(declared.kind, member.shape, declared=declared)
            elif not (declared.of_all_rows and wire == CREATED_AT_FIELD):
                message = f"{declared.title}: the schema has {no_such('field', wire, shape.fields)}"
                yield TypeFault(message=message, declared=declared)

    def _value_faults(
        self, kind: Any, values: frozenset[str], shape: Enumeration, *, declared: DeclaredField | None
    ) -> Iterator[TypeFault]:
        known = frozenset(shape.values)
        unknown = [] if self.of_a_row else sorted(values - known)
        missing = [] if self.sent else [value for value in shape.values if value not in values and value]
        if unknown:
            yield TypeFault(
                message=f"{name_of(kind)} has {', '.join(unknown)}, which the schema has not", declared=declared
            )
        if missing:
            yield TypeFault(message=f"{name_of(kind)} lacks {', '.join(missing)} of the schema", declared=declared)


def _parts(kind: Any, shape: Shape) -> list[tuple[Any, Shape]] | None:
    """The types of what is in an array or in an object with any names, with their shapes; None for all others."""
    origin, parts = get_origin(kind) or kind, get_args(kind)
    match shape:
        case ListOf(item=item) if origin in _SEQUENCES:
            return [(parts[0] if parts else Any, item)]
        case MapOf(value=value) if origin is dict:
            return [(parts[1] if parts else Any, value)]
        case ObjectOf(fields=fields) if origin is dict:
            return [(parts[1] if parts else Any, member.shape) for member in fields.values()]
    return None


def _holds(kind: Any, shape: Shape) -> bool:
    """Whether a type without parts can hold such values."""
    match shape:
        case Scalar():
            return shape.kind in _HOLDS.get(kind, ()) or (shape.kind == "text" and _values(kind) is not None)
        case Enumeration():
            return kind is str
        case MapOf(value=Scalar(kind="any")):
            return fields_of(kind) is not None
    return False


def _is_id(declared: DeclaredField | None, shape: Shape) -> bool:
    """Whether it is the id of a row: rows have texts, also of a backend that has numbers."""
    is_integer = isinstance(shape, Scalar) and shape.kind == "integer"
    return is_integer and declared is not None and declared.of_all_rows and declared.name == ID_FIELD


def _values(kind: Any) -> frozenset[str] | None:
    """The texts of an enumeration, or of a Literal; None for any other type."""
    if get_origin(kind) is Literal:
        return frozenset(value for value in get_args(kind) if isinstance(value, str))
    if isinstance(kind, type) and issubclass(kind, str) and issubclass(kind, Enum):
        return frozenset(str(member.value) for member in kind)
    return None
