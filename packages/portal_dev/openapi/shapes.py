"""JSON schemas → shapes: objects, lists, scalars, enumerations, references. The rest is any JSON, with the reason."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from portal_dev.openapi.document import SchemaError

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal_dev.openapi.document import Node

#: The kinds of types, and of the formats of texts.
_KINDS: Final = {
    "string": "text",
    "array": "list",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "object": "object",
    "date-time": "time",
    "date": "day",
    "decimal": "decimal",
}


@dataclass(frozen=True, kw_only=True)
class Field:
    """A member of an object. `max_length` of a text is 0 for no limit; `format` is such as `email`."""

    shape: Shape
    max_length: int = 0
    format: str = ""
    required: bool = False
    read_only: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Shape:
    """The values that a schema takes.

    :param kind: `text`, `integer`, `number`, `decimal` (in a text), `boolean`, `time`, `day`, `enum`, `list`, `object`,
        `map` (an object whose members have any names), or `any`.
    :param name: of the schema; empty where it has none.
    :param note: why it is any JSON; empty for the other kinds.
    :param values: of an enumeration.
    :param item: of a list, or of a map.
    :param load: makes the fields, when they are first asked for: an object may contain itself.
    """

    kind: str
    pointer: str = ""
    name: str = ""
    description: str = ""
    nullable: bool = False
    note: str = ""
    values: tuple[str, ...] = ()
    item: Shape | None = None
    load: Callable[[], dict[str, Field]] = field(default=dict)

    @cached_property
    def fields(self) -> dict[str, Field]:
        """The members of an object, by their names on the wire."""
        return self.load()

    def __str__(self) -> str:
        """Name it in notes and differences, such as `list[text]`."""
        return f"{self.kind}[{self.item}]" if self.item else (self.kind == "object" and self.name) or self.kind


def is_same(one: Shape, other: Shape) -> bool:
    """Return whether both take the same values, null aside."""
    if one.item and other.item:
        return one.kind == other.kind and is_same(one.item, other.item)
    is_other_object = one.kind == "object" and one.pointer != other.pointer
    return one.kind == other.kind and {*one.values} == {*other.values} and not is_other_object


class Schemas:
    """The schemas of one document as shapes. A schema that is read twice gives the same shape."""

    def __init__(self) -> None:
        self._made: dict[str, Shape] = {}

    def shape(self, node: Node | None) -> Shape:
        """Return the shape of a schema.

        :raises SchemaError: the schema is broken.
        """
        if node is None:
            return Shape(kind="any", note="the schema gives no type")
        if node.pointer not in self._made:
            self._made[node.pointer] = _any(node, "it contains itself without an object between")
            if not isinstance(node.value, dict | bool):
                raise SchemaError(node.pointer, f"should be an object, not {type(node.value).__name__}")
            shape = self._read(node)
            is_nullable = any(part.get("nullable", False) for part in (node, *node.members("allOf").values()))
            self._made[node.pointer] = replace(shape, nullable=True) if is_nullable and not shape.nullable else shape
        return self._made[node.pointer]

    def _read(self, node: Node) -> Shape:
        target = node.target()
        if target is None:
            return _any(node, f"{node.get('$ref', '')} is in another document")
        if target is not node:
            return self.shape(target)
        if parts := [*node.members("allOf").values()]:
            return self._all(node, parts)
        options = [*node.members("oneOf").values(), *node.members("anyOf").values()]
        if options and not node.members("properties"):
            return self._either(node, options)
        return _enumeration(node) if node.child("enum") or node.child("const") else self._plain(node)

    def _all(self, node: Node, parts: list[Node]) -> Shape:
        shapes = [*map(self.shape, parts), *([self._plain(node)] if node.members("properties") else [])]
        known = [shape for shape in shapes if shape.kind not in {"any", "map"}]
        if not known[1:]:
            return (known or shapes)[0]
        if any(shape.kind != "object" for shape in known):
            return _any(node, "allOf of different types")

        def load() -> dict[str, Field]:
            needed = [wire for part in (node, *parts) for wire in part.get("required", list[Any]())]
            merged = {name: member for shape in known for name, member in shape.fields.items()}
            return {name: replace(each, required=each.required or name in needed) for name, each in merged.items()}

        return _shape(node, "object", load=load)

    def _either(self, node: Node, options: list[Node]) -> Shape:
        shapes = [self.shape(part) for part in options if not _is_null(part)]
        found = shapes[0] if shapes else _any(node, "it is null")
        if shapes[1:] and all(shape.kind == "enum" for shape in shapes):
            # A blank choice is an enumeration of its own to Django REST framework.
            values = dict.fromkeys(value for shape in shapes for value in shape.values)
            found = _shape(node, "enum", values=tuple(values))
        elif not all(is_same(found, shape) for shape in shapes):
            found = _any(node, f"it is {' or '.join(map(str, shapes))}")
        return replace(found, nullable=len(shapes) < len(options) or any(shape.nullable for shape in shapes))

    def _plain(self, node: Node) -> Shape:
        schema: dict[str, Any] = node.value if isinstance(node.value, dict) else {}
        implied = {"properties": "object", "additionalProperties": "object", "items": "array"}
        given: Any = schema.get("type") or next((kind for name, kind in implied.items() if name in schema), [])
        kinds = [str(kind) for kind in (given if isinstance(given, list) else [given])]
        others = [kind for kind in kinds if kind != "null"]
        shape = self._of_type(node, others[0]) if len(others) == 1 else _any(node, _either_of(others))
        return replace(shape, nullable="null" in kinds)

    def _of_type(self, node: Node, kind: str) -> Shape:
        if kind == "array":
            return _shape(node, "list", item=self.shape(node.child("items")))
        if kind == "object" and node.members("properties"):
            return _shape(node, "object", load=lambda: self._fields(node))
        if kind == "object":
            inside = node.child("additionalProperties")
            is_any = inside is None or isinstance(inside.value, bool)
            return _shape(node, "map", item=Shape(kind="any") if is_any else self.shape(inside))
        written = _KINDS.get(node.get("format", "")) if kind == "string" else None
        return _shape(node, written or _KINDS[kind]) if kind in _KINDS else _any(node, f"{kind} is no type")

    def _fields(self, node: Node) -> dict[str, Field]:
        fields = {}
        for name, part in node.members("properties").items():
            own = part.target() or part
            said = [part, own, *(each for of in ("anyOf", "oneOf", "allOf") for each in own.members(of).values())]
            fields[name] = Field(
                shape=self.shape(part),
                max_length=max(each.get("maxLength", 0) for each in said),
                format=max(each.get("format", "") for each in said),
                required=name in node.get("required", []),
                read_only=any(each.get("readOnly", False) for each in said),
            )
        return fields


def _shape(node: Node, kind: str, **options: Any) -> Shape:
    found = re.fullmatch(r"#/components/schemas/([^/]+)", node.pointer)
    title = node.get("title", "") if kind == "object" else ""
    name = found[1].replace("~1", "/").replace("~0", "~") if found else title
    return Shape(kind=kind, pointer=node.pointer, name=name, description=node.get("description", ""), **options)


def _any(node: Node, note: str) -> Shape:
    return Shape(kind="any", pointer=node.pointer, note=note)


def _either_of(names: list[str]) -> str:
    return f"it is {' or '.join(names)}" if names else "the schema gives no type"


def _is_null(node: Node) -> bool:
    own = node.target() or node
    return isinstance(own.value, dict) and (own.value.get("type") == "null" or own.value.get("enum") == [None])


def _enumeration(node: Node) -> Shape:
    given = [part.value for part in node.members("enum").values()] or [node.value.get("const")]
    known = [value for value in given if value is not None]
    # Half of a surrogate pair is no text.
    if known and all(isinstance(value, str) and not re.search("[\ud800-\udfff]", value) for value in known):
        found = _shape(node, "enum", values=tuple(dict.fromkeys(known)))
    else:
        found = _any(node, "it is one of values that are no texts")
    return replace(found, nullable=len(known) < len(given))
