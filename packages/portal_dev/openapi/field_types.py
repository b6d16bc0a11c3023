"""Types of declarations, held against the shapes of a schema."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import EnumType
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import msgspec

from portal.config import contract_names as names
from portal.query import Row
from portal_operate.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from portal_dev.openapi.shapes import Shape

#: The kinds that each type can hold. A text without a format may well be a decimal or a time: a person may know.
_HOLDS: Final[Mapping[Any, set[str]]] = {
    str: {"text", "time", "day", "decimal", "enum"},
    int: {"integer"},
    float: {"integer", "number"},
    bool: {"boolean"},
    Decimal: {"decimal", "integer", "number", "text"},
    dict: {"map", "object"},
    datetime: {"time", "text"},
    date: {"day", "text"},
    **{kind: {"list"} for kind in (Sequence, list, tuple, set, frozenset)},
}


@dataclass(frozen=True, kw_only=True)
class DeclaredField:
    """A field of a record, of parameters or of a TypedDict.

    :param owner: the class that declares it; of what all rows have, the row's class.
    """

    owner: Any
    name: str
    kind: Any
    of_all_rows: bool = False

    @property
    def title(self) -> str:
        """Class and name, for a message."""
        return f"{self.owner.__name__}.{self.name}"

    @property
    def may_be_missing(self) -> bool:
        """Return whether every answer may lack it, also of a required call."""
        if is_typeddict(self.owner):
            return self.name in self.owner.__optional_keys__ and self.name != names.PROFILE_PERMISSIONS_FIELD
        return issubclass(self.owner, Row) and not (self.of_all_rows and self.name == names.ID_FIELD)


@dataclass(frozen=True)
class Fault:
    """One thing that does not fit.

    :param of: the field, or the enumeration, that a person changes; None for the hook.
    :param lacks: what the schema does not have, where no name of the schema is like it.
    """

    message: str
    of: Any = None
    lacks: Literal["", "call", "parameter", "field"] = ""


def no_such(what: str, name: str, known: Iterable[str]) -> str:
    """Return that the schema has no such name, with a similar one that it has."""
    return "; ".join(filter(None, (f"the schema has no {what} {name}", did_you_mean(name, known))))


def fields_of(kind: Any) -> dict[str, DeclaredField] | None:
    """Return the fields of a record, of parameters or of a TypedDict, by the names on the wire; None for others."""
    if is_typeddict(kind):
        return {name: DeclaredField(owner=kind, name=name, kind=hint) for name, hint in get_type_hints(kind).items()}
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        return None
    found = {}
    for info in msgspec.structs.fields(kind):
        owner = next((each for each in kind.__mro__ if info.name in inspect.get_annotations(each)), kind)
        of_row = owner is Row
        owner = kind if of_row else owner
        found[info.encode_name] = DeclaredField(owner=owner, name=info.name, kind=info.type, of_all_rows=of_row)
    return found


def alternatives(kind: Any) -> tuple[list[Any], bool]:
    """Return the types of a union but None, and whether None is one of them."""
    parts = get_args(kind) if get_origin(kind) in {Union, UnionType} else (kind,)
    return [part for part in parts if part is not NoneType], NoneType in parts


def values_of(kind: Any) -> set[str] | None:
    """Return the texts of an enumeration, or of a Literal; None for any other type."""
    if get_origin(kind) is Literal:
        return {value for value in get_args(kind) if isinstance(value, str)}
    is_enum = isinstance(kind, EnumType) and issubclass(kind, str)
    return {str(member.value) for member in kind} if is_enum else None


@dataclass(kw_only=True)
class Types:
    """Holds types against shapes.

    :param sent: the value is sent, not received: then null and values that are not known do not matter.
    :param of_a_row: some fields of a row are sent: then it may have more fields, and its fields more values.
    """

    sent: bool = False
    of_a_row: bool = False
    _seen: set[tuple[Any, str]] = field(default_factory=set)

    def faults(self, kind: Any, shape: Shape, of: DeclaredField | None = None) -> Iterator[Fault]:
        """Yield what does not fit.

        :param of: the field whose type it is.
        """
        kinds, may_be_none = alternatives(kind)
        if shape.kind == "any" or {Any, object} & {*kinds}:
            return
        if of and shape.nullable and not (may_be_none or self.sent or shape.item or shape.kind == "object"):
            yield Fault(f"{of.title} is never None here, and may be null in the schema", of)
        each = [list(self._of_one(one, shape, of)) for one in kinds]
        if all(each):
            yield from each[0]

    def _of_one(self, kind: Any, shape: Shape, of: DeclaredField | None) -> Iterator[Fault]:
        values, fields, origin = values_of(kind), fields_of(kind), get_origin(kind) or kind
        inside = (*get_args(kind), Any)[1 if origin is dict and get_args(kind) else 0]
        is_id = bool(of and of.of_all_rows and of.name == names.ID_FIELD) and shape.kind == "integer"
        may_hold = (
            is_id or (values is not None and shape.kind == "text") or (fields is not None and shape.kind == "map")
        )
        name = kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind).removeprefix("typing.")
        title = of.title if of else "the body" if self.sent else "the answer"
        if values is not None and shape.kind == "enum":
            yield from self._value_faults(name, values, shape, kind if isinstance(kind, type) else of)
        elif fields is not None and shape.kind == "object":
            yield from self._field_faults(kind, fields, shape, of, title)
        elif shape.kind in _HOLDS.get(origin, ()):
            for part in [shape.item] if shape.item else [each.shape for each in shape.fields.values()]:
                yield from self.faults(inside, part, of)
        elif not may_hold:
            yield Fault(f"{title} is {name} here, and {shape} in the schema", of)

    def _field_faults(
        self, kind: Any, fields: dict[str, DeclaredField], shape: Shape, of: DeclaredField | None, title: str
    ) -> Iterator[Fault]:
        if (kind, shape.pointer) in self._seen:
            return
        self._seen.add((kind, shape.pointer))
        if not self.of_a_row and len(fields) > 1 and shape.fields and not {*fields} & {*shape.fields}:
            yield Fault(f"{title} has no field of {kind.__name__} in the schema, but {', '.join(shape.fields)}", of=of)
            return
        for wire, each in fields.items():
            if wire in shape.fields:
                yield from self.faults(each.kind, shape.fields[wire].shape, each)
            elif not self.of_a_row and not (each.of_all_rows and wire == names.CREATED_AT_FIELD):
                # The version of a row has this name, or the backend has none. What is declared too is not meant.
                similar = (
                    [] if wire == names.VERSION_FIELD else [other for other in shape.fields if other not in fields]
                )
                is_misspelt = self.sent or did_you_mean(wire, similar)
                message = f"{each.title}: {no_such('field', wire, similar)}"
                yield Fault(message, each, lacks="" if is_misspelt else "field")

    def _value_faults(self, name: str, values: set[str], shape: Shape, of: Any) -> Iterator[Fault]:
        unknown = [] if self.of_a_row else sorted(values - {*shape.values})
        missing = [] if self.sent else [value for value in shape.values if value not in values and value]
        if unknown:
            yield Fault(f"{name} has {', '.join(unknown)}, which the schema has not", of)
        if missing:
            yield Fault(f"{name} lacks {', '.join(missing)} of the schema", of)
