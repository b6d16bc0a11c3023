"""Whether a declared type fits a shape of the schema. A declaration may have fewer fields, never others."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import msgspec

from portal.config.contract_names import CREATED_AT_FIELD, ID_FIELD, VERSION_FIELD
from portal.config.places import place
from portal.query import Row
from portal_dev.openapi.schema import Enumeration, ListOf, MapOf, ObjectOf, Scalar, Shape, ValueKind, in_words
from portal_operate.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredField:
    """A field of a record, of parameters or of a TypedDict.

    :param owner: the class that declares it; of what all rows have, the row's class.
    :param of_all_rows: whether `Row` declares it.
    """

    owner: type[Any]
    name: str
    kind: Any
    of_all_rows: bool = False

    @property
    def title(self) -> str:
        """`Invoice.client_name`."""
        return f"{self.owner.__name__}.{self.name}"


def fields_of(kind: Any) -> dict[str, DeclaredField] | None:
    """The fields of a record, of parameters or of a TypedDict, by the names on the wire; None for any other type."""
    if is_typeddict(kind):
        return {name: DeclaredField(owner=kind, name=name, kind=hint) for name, hint in get_type_hints(kind).items()}
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        return None
    found = {}
    for info in msgspec.structs.fields(kind):
        owner = next((each for each in kind.__mro__ if info.name in inspect.get_annotations(each)), kind)
        is_rows = owner is Row
        found[info.encode_name] = DeclaredField(
            owner=kind if is_rows else owner, name=info.name, kind=info.type, of_all_rows=is_rows
        )
    return found


def alternatives(kind: Any) -> tuple[tuple[Any, ...], bool]:
    """The types of a union but None, and whether None is one of them."""
    if get_origin(kind) in {Union, UnionType}:
        parts = get_args(kind)
        return tuple(part for part in parts if part is not NoneType), NoneType in parts
    return (kind,), False


def name_of(kind: Any) -> str:
    """The type as it stands in source: `Decimal | None`."""
    kinds, may_be_none = alternatives(kind)
    names = [
        each.__name__ if isinstance(each, type) and not get_args(each) else str(each).removeprefix("typing.")
        for each in kinds
    ]
    return " | ".join([*names, *(["None"] if may_be_none else [])])


def place_of(owner: type[Any], name: str) -> str:
    """`file:line` of an attribute of a class, or of the class where its source does not name it."""
    file = getattr(sys.modules.get(owner.__module__), "__file__", None)
    if file is None:
        return owner.__module__
    lines = _lines(file)
    line = lines.get((owner.__qualname__, name)) or lines.get((owner.__qualname__, ""), 1)
    return place(file, line)


@lru_cache(maxsize=256)
def _lines(file: str) -> dict[tuple[str, str], int]:
    """Class and attribute to line, of the classes of a module; the class itself has an empty attribute."""
    found = {}
    for node in ast.parse(Path(file).read_text()).body:
        if not isinstance(node, ast.ClassDef):
            continue
        found[node.name, ""] = node.lineno
        for part in node.body:
            targets = (
                part.targets
                if isinstance(part, ast.Assign)
                else [part.target]
                if isinstance(part, ast.AnnAssign)
                else []
            )
            for target in targets:
                if isinstance(target, ast.Name):
                    found[node.name, target.id] = part.lineno
    return found


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
_SEQUENCES: Final = frozenset({Sequence, list, tuple, set, frozenset})


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeFault:
    """What does not fit.

    :param declared: the field; None for the type as a whole.
    :param enumeration: the class whose values do not fit, wherever it is used.
    :param lacks: what the schema does not have, where no name of the schema is like it.
    """

    message: str
    declared: DeclaredField | None = None
    enumeration: type[Any] | None = None
    lacks: Literal["", "call", "parameter", "field"] = ""

    @property
    def place(self) -> tuple[type[Any], str] | None:
        """The class, and the attribute, that a person changes; None for the hook."""
        if self.enumeration is not None:
            return self.enumeration, ""
        return (self.declared.owner, self.declared.name) if self.declared else None


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
        if declared and shape.nullable and not (may_be_none or self.sent) and isinstance(shape, Scalar | Enumeration):
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
            yield from self.field_faults(kind, shape, declared=declared)
        elif parts is not None:
            for part, inside in parts:
                yield from self.faults(part, inside, declared=declared)
        elif not _holds(kind, shape) and not _is_id(declared, shape):
            title = declared.title if declared else "the body" if self.sent else "the answer"
            message = f"{title} is {name_of(kind)} here, and {in_words(shape)} in the schema"
            yield TypeFault(message=message, declared=declared)

    def field_faults(self, kind: Any, shape: ObjectOf, *, declared: DeclaredField | None = None) -> Iterator[TypeFault]:
        """What does not fit of the fields of a record, or of a TypedDict.

        :param declared: the field whose type it is.
        """
        if (kind, shape.pointer) in self._seen:
            return
        self._seen.add((kind, shape.pointer))
        fields = fields_of(kind) or {}
        if len(fields) > 1 and shape.fields and not set(fields) & set(shape.fields):
            title = declared.title if declared else "the answer"
            has = ", ".join(shape.fields)
            yield TypeFault(
                message=f"{title} has no field of {name_of(kind)} in the schema, but {has}", declared=declared
            )
            return
        for wire, each in fields.items():
            member = shape.fields.get(wire)
            if member is not None:
                yield from self.faults(each.kind, member.shape, declared=each)
            elif not (each.of_all_rows and wire == CREATED_AT_FIELD):
                # The version of a row has this name, or the backend has none. What is declared too is not meant.
                similar = [] if wire == VERSION_FIELD else [other for other in shape.fields if other not in fields]
                message = f"{each.title}: the schema has {no_such('field', wire, similar)}"
                yield TypeFault(message=message, declared=each, lacks="" if did_you_mean(wire, similar) else "field")

    def _value_faults(
        self, kind: Any, values: frozenset[str], shape: Enumeration, *, declared: DeclaredField | None
    ) -> Iterator[TypeFault]:
        known = frozenset(shape.values)
        unknown = [] if self.of_a_row else sorted(values - known)
        missing = [] if self.sent else [value for value in shape.values if value not in values and value]
        # A person changes the class, once for all its uses. A `Literal` stands in the field.
        owner = kind if isinstance(kind, type) else None
        if unknown:
            message = f"{name_of(kind)} has {', '.join(unknown)}, which the schema has not"
            yield TypeFault(message=message, declared=declared, enumeration=owner)
        if missing:
            message = f"{name_of(kind)} lacks {', '.join(missing)} of the schema"
            yield TypeFault(message=message, declared=declared, enumeration=owner)


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
