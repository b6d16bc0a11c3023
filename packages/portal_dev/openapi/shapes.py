"""JSON schemas → shapes: objects, lists, scalars, enumerations, references. The rest is any JSON, with the reason."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from portal_dev.openapi.document import SchemaError

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal_dev.openapi.document import Node

#: The kinds of `string`, `integer` … and of the formats of texts.
_KINDS: Final = {
    "string": "text",
    "array": "list",
    **{kind: kind for kind in ("integer", "number", "boolean", "object")},
}
_FORMATS: Final = {"date-time": "time", "date": "day", "decimal": "decimal"}
_NO_TYPE: Final = "the schema gives no type"


@dataclass(frozen=True, kw_only=True)
class Field:
    """A member of an object. `max_length` of a text is 0 for no limit; `format` is such as `email`."""

    shape: Shape
    description: str = ""
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
    :param note: what the schema says and the shape does not; empty where nothing is lost.
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
        """Name it in notes and differences."""
        words = {
            "enum": f"one of {', '.join(self.values)}",
            "list": f"an array (each {self.item})",
            "map": f"an object with any names (each {self.item})",
            "object": f"the object {self.name}" if self.name else "an object",
            "any": "any JSON",
            "integer": "an integer",
            "decimal": "a decimal in a text",
        }
        return words.get(self.kind, f"a {self.kind}")


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
            return Shape(kind="any", note=_NO_TYPE)
        if node.pointer not in self._made:
            self._made[node.pointer] = _any(node, "it contains itself without an object between")
            if not isinstance(node.value, dict | bool):
                raise SchemaError(node.pointer, f"should be an object, not {type(node.value).__name__}")
            shape = self._read(node)
            nulls = [node, *node.members("allOf").values()]
            is_nullable = shape.nullable or any(part.get("nullable", False) for part in nulls)
            self._made[node.pointer] = replace(shape, nullable=True) if is_nullable != shape.nullable else shape
        return self._made[node.pointer]

    def _read(self, node: Node) -> Shape:
        target, properties = node.target(), node.members("properties")
        if target is None:
            return _any(node, f"{node.get('$ref', '')} is in another document")
        if target is not node:
            return self.shape(target)
        if parts := [*node.members("allOf").values()]:
            return self._all(node, parts)
        if not properties and (options := [*node.members("oneOf").values(), *node.members("anyOf").values()]):
            return self._either(node, options)
        if node.child("enum") or node.child("const"):
            return _enumeration(node)
        return self._plain(node)

    def _all(self, node: Node, parts: list[Node]) -> Shape:
        shapes = [*map(self.shape, parts), *([self._plain(node)] if node.members("properties") else [])]
        known = [shape for shape in shapes if shape.kind not in {"any", "map"}]
        if not known[1:]:
            return (known or shapes)[0]
        if any(shape.kind != "object" for shape in known):
            return _any(node, "allOf of different types")

        def load() -> dict[str, Field]:
            needed = [name for part in (node, *parts) for name in part.get("required", [])]
            merged = {name: member for shape in known for name, member in shape.fields.items()}
            return {name: replace(each, required=each.required or name in needed) for name, each in merged.items()}

        return _shape(node, "object", load=load)

    def _either(self, node: Node, options: list[Node]) -> Shape:
        shapes = [self.shape(part) for part in options if not _is_null(part)]
        known = [shape for shape in shapes if shape.kind == "enum"] or shapes
        if known[1:] and {shape.kind for shape in shapes} <= {"enum", "text"}:
            values = dict.fromkeys(value for shape in known for value in shape.values)
            known = [_shape(node, known[0].kind, values=tuple(values))]
        if not known or any(not is_same(known[0], shape) for shape in known):
            known = [_any(node, f"it is {' or '.join(map(str, shapes)) or 'null'}")]
        return replace(known[0], nullable=len(shapes) < len(options) or any(shape.nullable for shape in shapes))

    def _plain(self, node: Node) -> Shape:
        given = node.value.get("type") if isinstance(node.value, dict) else "any"
        kinds = [kind for kind in (given if isinstance(given, list) else [given]) if kind is not None]
        if not all(isinstance(kind, str) for kind in kinds):
            raise SchemaError(f"{node.pointer}/type", "should be the name of a type, or an array of names")
        if wrong := [kind for kind in kinds if kind not in {*_KINDS, "any", "null"}]:
            raise SchemaError(f"{node.pointer}/type", f"{wrong[0]} is no type")
        others = [kind for kind in kinds if kind != "null"] or [_implied_type(node)]
        shape = self._of_type(node, others[0]) if not others[1:] else _any(node, f"it is {' or '.join(others)}")
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
        kind = _FORMATS.get(node.get("format", ""), kind) if kind == "string" else kind
        return _shape(node, _KINDS.get(kind, kind or "any"), note="" if kind else _NO_TYPE)

    def _fields(self, node: Node) -> dict[str, Field]:
        fields = {}
        for name, part in node.members("properties").items():
            own = part.target() or part
            said = [part, own, *(each for of in ("anyOf", "oneOf", "allOf") for each in own.members(of).values())]
            fields[name] = Field(
                shape=self.shape(part),
                description=part.get("description", ""),
                max_length=max(each.get("maxLength", 0) for each in said),
                format=max(each.get("format", "") for each in said),
                required=name in node.get("required", []),
                read_only=any(each.get("readOnly", False) for each in said),
            )
        return fields


def _shape(node: Node, kind: str, **options: Any) -> Shape:
    found = re.fullmatch(r"#/components/schemas/([^/]+)", node.pointer)
    name = (
        found[1].replace("~1", "/").replace("~0", "~") if found else node.get("title", "") if kind == "object" else ""
    )
    return Shape(kind=kind, pointer=node.pointer, name=name, description=node.get("description", ""), **options)


def _any(node: Node, note: str) -> Shape:
    return Shape(kind="any", pointer=node.pointer, note=note)


def _is_null(node: Node) -> bool:
    own = node.target() or node
    return isinstance(own.value, dict) and (own.value.get("type") == "null" or own.value.get("enum") == [None])


def _implied_type(node: Node) -> str:
    names = node.value.keys()
    if {"properties", "additionalProperties"} & names:
        return "object"
    return "array" if "items" in names else "string" if node.get("format", "") in _FORMATS else ""


def _enumeration(node: Node) -> Shape:
    given = [part.value for part in node.members("enum").values()] or [node.value.get("const")]
    known = [value for value in given if value is not None]
    note = f"it is {' or '.join(json.dumps(value, default=str) for value in known) or 'null'}"
    kinds = {type(value) for value in known}
    kind = {str: "enum", int: "integer", float: "number", bool: "boolean"}.get(kinds.pop()) if len(kinds) == 1 else None
    # Half of a surrogate pair is no text.
    kind = kind if kind != "enum" or not re.search("[\ud800-\udfff]", "".join(known)) else None
    values = {"values": tuple(dict.fromkeys(known))} if kind == "enum" else {"note": note}
    return replace(_shape(node, kind or "any", **values), nullable=len(known) < len(given))
