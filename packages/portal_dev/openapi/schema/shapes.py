"""What a value can be, as far as a declaration can say it. :mod:`portal_dev.openapi.schema.schemas` makes them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from portal_dev.openapi.schema.document import SchemaError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from portal_dev.openapi.schema.document import Node


#: The note of a value that is always null.
ONLY_NULL: Final = "it is always null"
#: A text; an integer; a number; a decimal in a text; a boolean; a time; a day; any JSON.
ValueKind: TypeAlias = Literal["text", "integer", "number", "decimal", "boolean", "time", "day", "any"]
#: Kinds with the kinds that they include. Backends that write a decimal as a text take a number too, and say so.
_WIDER: Final[Mapping[ValueKind, frozenset[ValueKind]]] = {
    "number": frozenset({"integer", "number"}),
    "decimal": frozenset({"decimal", "integer", "number"}),
    "text": frozenset({"text", "time", "day", "decimal"}),
}
_WORDS: Final[Mapping[ValueKind, str]] = {
    "text": "a text",
    "integer": "an integer",
    "number": "a number",
    "decimal": "a decimal in a text",
    "boolean": "a boolean",
    "time": "a time",
    "day": "a day",
    "any": "any JSON",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Shape:
    """What a value is.

    :param pointer: the part of the schema that says so.
    :param note: what the schema says and the shape does not; empty where nothing is lost.
    """

    pointer: str
    nullable: bool = False
    description: str = ""
    note: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Scalar(Shape):
    """A text, a number, or a value of which nothing is known."""

    kind: ValueKind


@dataclass(frozen=True, kw_only=True, eq=False)
class Enumeration(Shape):
    """One of these texts.

    :param name: of its schema; empty where it has none.
    """

    values: tuple[str, ...]
    name: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class ListOf(Shape):
    """An array."""

    item: Shape


@dataclass(frozen=True, kw_only=True, eq=False)
class MapOf(Shape):
    """An object whose members have any names."""

    value: Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A member of an object.

    :param description: of this use of the shape.
    :param max_length: of a text; None for no limit.
    :param format: of a text, such as `email`.
    """

    shape: Shape
    description: str = ""
    max_length: int | None = None
    format: str = ""
    required: bool = False
    read_only: bool = False
    write_only: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class ObjectOf(Shape):
    """An object with named members.

    :param name: of its schema; empty where it has none.
    :param load: makes its fields, when they are first asked for: an object may contain itself.
    :param extends: the object that it has all fields of, as its schema says with `allOf`.
    """

    load: Callable[[], Mapping[str, Field]]
    name: str = ""
    extends: ObjectOf | None = None

    @cached_property
    def fields(self) -> Mapping[str, Field]:
        """Name on the wire to member."""
        return self.load()


def any_json(pointer: str, note: str = "", *, nullable: bool = False) -> Scalar:
    """A value of which nothing is known, with the reason."""
    return Scalar(pointer=pointer, kind="any", note=note, nullable=nullable)


def is_any(shape: Shape) -> bool:
    """Whether nothing is known of the value."""
    return isinstance(shape, Scalar) and shape.kind == "any"


def as_null(shape: Shape) -> Shape:
    """The same, or null."""
    return shape if shape.nullable else replace(shape, nullable=True)


def are_the_same(one: Shape, other: Shape) -> bool:
    """Whether both say the same, null aside."""
    match one, other:
        case Scalar(), Scalar():
            return one.kind == other.kind
        case Enumeration(), Enumeration():
            return set(one.values) == set(other.values)
        case (ListOf(item=a), ListOf(item=b)) | (MapOf(value=a), MapOf(value=b)):
            return are_equal(a, b)
        case ObjectOf(), ObjectOf():
            return one.pointer == other.pointer or _have_the_same_fields(one, other)
    return False


def are_equal(one: Shape, other: Shape) -> bool:
    """Whether both say the same, also of null."""
    return one.nullable == other.nullable and are_the_same(one, other)


def _have_the_same_fields(one: ObjectOf, other: ObjectOf) -> bool:
    """Whether two schemas without a name, which stand in others, say the same."""
    if one.name or other.name or set(one.fields) != set(other.fields):
        return False
    return all(are_equal(field.shape, other.fields[name].shape) for name, field in one.fields.items())


def either(shapes: list[Shape], pointer: str) -> Shape:
    """What a value is that has one of these shapes."""
    nullable = any(shape.nullable for shape in shapes)
    known = [shape for shape in shapes if not (is_any(shape) and shape.note == ONLY_NULL)]
    if not known:
        return any_json(pointer, ONLY_NULL, nullable=True)
    merged = known[0]
    for shape in known[1:]:
        merged = _either(merged, shape, pointer)
    return as_null(merged) if nullable else merged


def _either(one: Shape, other: Shape, pointer: str) -> Shape:
    if are_the_same(one, other):
        return one
    if is_any(one) or is_any(other):
        return any_json(pointer, one.note or other.note)
    return _common(one, other, pointer) or any_json(pointer, f"it is {in_words(one)} or {in_words(other)}")


def _common(one: Shape, other: Shape, pointer: str) -> Shape | None:
    """The shape of which both are; None where there is none but any JSON."""
    match one, other:
        case Enumeration(), Enumeration():
            values = tuple(dict.fromkeys((*one.values, *other.values)))
            return replace(one, values=values, pointer=pointer, name="")
        # An enumeration keeps a value that it does not know.
        case (Enumeration() as known, Scalar(kind="text")) | (Scalar(kind="text"), Enumeration() as known):
            return known
        case Scalar(), Scalar():
            found: ValueKind | None = next(
                (wider for wider, narrower in _WIDER.items() if {one.kind, other.kind} <= narrower), None
            )
            return Scalar(pointer=pointer, kind=found) if found else None
        case ObjectOf(), ObjectOf():
            return _either_object(one, other, pointer)
        case ListOf(), ListOf():
            return replace(one, item=either([one.item, other.item], f"{pointer}/items"), pointer=pointer)
    return None


def _either_object(one: ObjectOf, other: ObjectOf, pointer: str) -> ObjectOf:
    def load() -> dict[str, Field]:
        fields: dict[str, Field] = {}
        for name in dict.fromkeys((*one.fields, *other.fields)):
            found = [shape.fields[name] for shape in (one, other) if name in shape.fields]
            fields[name] = Field(
                shape=either([field.shape for field in found], f"{pointer}/properties/{name}"),
                required=len(found) > 1 and all(field.required for field in found),
                read_only=all(field.read_only for field in found),
                write_only=all(field.write_only for field in found),
            )
        return fields

    return ObjectOf(pointer=pointer, load=load, description=one.description)


def in_words(shape: Shape) -> str:
    """The shape in words, for notes and differences."""
    match shape:
        case Scalar(kind=kind):
            return _WORDS[kind]
        case Enumeration(values=values):
            return f"one of {', '.join(values)}"
        case ListOf(item=item):
            return f"an array (each {in_words(item)})"
        case MapOf(value=value):
            return f"an object with any names (each {in_words(value)})"
        case ObjectOf(name=name):
            return f"the object {name}" if name else "an object"
    raise TypeError(type(shape).__name__)


_FORMATS: Final[Mapping[str, ValueKind]] = {"date-time": "time", "date": "day", "decimal": "decimal"}
#: A pattern for decimals takes the first and one of the second, and none of the third.
_DECIMALS: Final = (("12",), ("12.5", "12.50"), ("x", "1x", "1.2.3", "1,2", "1.2,3.4", "2026-01-01", "1.2.3.4"))


def enumeration(node: Node) -> Shape:
    """The shape of a schema with `enum` or `const`."""
    found = [node.value["const"]] if "const" in node.mapping() else [part.value for part in node.entries("enum")]
    nullable = None in found
    known = [value for value in found if value is not None]
    texts = [value for value in known if isinstance(value, str)]
    if not known:
        return any_json(node.pointer, ONLY_NULL, nullable=True)
    if len(texts) == len(known):
        values = tuple(dict.fromkeys(texts))
        return Enumeration(pointer=node.pointer, name=component_name(node), values=values, nullable=nullable)
    kinds: set[ValueKind] = {_kind_of(value) for value in known}
    note = f"it is {' or '.join(json.dumps(value, ensure_ascii=False) for value in known)}"
    if len(kinds) > 1:
        return any_json(node.pointer, note, nullable=nullable)
    return Scalar(pointer=node.pointer, kind=kinds.pop(), nullable=nullable, note=note)


def _kind_of(value: object) -> ValueKind:
    kinds: dict[type, ValueKind] = {str: "text", bool: "boolean", int: "integer", float: "number"}
    return kinds.get(type(value), "any")


def types_of(node: Node) -> list[str]:
    """The names in `type`.

    :raises SchemaError: it is no name, and no array of names.
    """
    kind = node.mapping().get("type")
    kinds = kind if isinstance(kind, list) else [kind] if kind is not None else []
    if not all(isinstance(each, str) for each in kinds):
        raise SchemaError(f"{node.pointer}/type", "should be the name of a type, or an array of names")
    return list(kinds)


def implied_type(node: Node) -> str:
    """The type of a schema that does not name it."""
    members = set(node.mapping())
    if members & {"properties", "additionalProperties", "patternProperties"}:
        return "object"
    if members & {"items", "prefixItems"}:
        return "array"
    return "string" if node.text("format") in _FORMATS else ""


def text_kind(node: Node) -> ValueKind:
    """What the texts of a schema are, by its format or pattern."""
    kind = _FORMATS.get(node.text("format"))
    return kind or ("decimal" if not node.text("format") and _is_for_decimals(node.text("pattern")) else "text")


def _is_for_decimals(pattern: str) -> bool:
    """Whether a pattern is for decimals in texts, as Django REST framework and pydantic write it."""
    try:
        takes = re.compile(pattern).search
    except (re.error, RecursionError, OverflowError):
        return False
    integer, decimal, others = _DECIMALS
    return bool(pattern) and all(map(takes, integer)) and any(map(takes, decimal)) and not any(map(takes, others))


def required_names(node: Node) -> frozenset[str]:
    """The names in `required`."""
    return frozenset(part.value for part in node.entries("required") if isinstance(part.value, str))


def component_name(node: Node) -> str:
    """The name of a schema of the components; empty for a schema that stands in another one."""
    return node.last_name if re.fullmatch(r"#/components/schemas/[^/]+", node.pointer) else ""
