"""Schemas → shapes: `$ref`, `allOf`, `oneOf`, `anyOf`, null, enumerations and formats of OpenAPI 3.0 and 3.1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from portal_dev.openapi.schema.document import Node, SchemaError
from portal_dev.openapi.schema.shapes import (
    ONLY_NULL,
    Enumeration,
    Field,
    ListOf,
    MapOf,
    ObjectOf,
    Scalar,
    Shape,
    ValueKind,
    any_json,
    as_null,
    component_name,
    either,
    enumeration,
    implied_type,
    is_any,
    required_names,
    text_kind,
    types_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_SCALARS: Final[Mapping[str, ValueKind]] = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
}
#: Members of a schema that say what a value is. A part of `allOf` without them only adds a description or null.
_TYPED: Final = frozenset(
    {
        "$ref",
        "type",
        "properties",
        "items",
        "enum",
        "const",
        "allOf",
        "oneOf",
        "anyOf",
        "additionalProperties",
        "format",
    }
)


class Schemas:
    """The schemas of one document as shapes. A schema that is read twice gives the same shape."""

    def __init__(self) -> None:
        self._made: dict[str, Shape] = {}
        self._open: list[str] = []

    def shape(self, node: Node | None) -> Shape:
        """What a value of this schema is. Where a shape can't say it, any JSON, with a note.

        :raises SchemaError: the schema is broken.
        """
        if node is None:
            return any_json("", "the schema gives no type")
        if node.pointer not in self._made:
            if node.pointer in self._open:
                return any_json(node.pointer, "it contains itself without an object between")
            with self._opened(node.pointer):
                self._made[node.pointer] = self._read(node)
        return self._made[node.pointer]

    @contextmanager
    def _opened(self, pointer: str) -> Iterator[None]:
        self._open.append(pointer)
        try:
            yield
        finally:
            self._open.pop()

    def _read(self, node: Node) -> Shape:
        if isinstance(node.value, bool):
            return any_json(node.pointer)
        node.mapping()
        shape = self._typed(node)
        if node.flag("nullable"):
            shape = as_null(shape)
        # A reference may describe its use; what it names has a description of its own.
        is_own = shape.pointer == node.pointer
        return replace(shape, description=node.text("description") or shape.description) if is_own else shape

    def _typed(self, node: Node) -> Shape:
        if node.ref:
            return self._referred(node)
        for combined, read in (("allOf", self._all), ("oneOf", self._either), ("anyOf", self._either)):
            if node.child(combined) is not None:
                return read(node, combined)
        if node.child("enum") is not None or node.child("const") is not None:
            return enumeration(node)
        return self._plain(node)

    def _referred(self, node: Node) -> Shape:
        target = node.target()
        if target is None:
            return any_json(node.pointer, f"{node.ref} is in another document")
        shape = self.shape(target)
        beside = set(node.mapping()) & _TYPED - {"$ref"}
        if not beside:
            return shape
        rest = Node(node.root, {name: node.value[name] for name in node.value if name != "$ref"}, f"{node.pointer}/+")
        return self._merged(node, [shape, self.shape(rest)])

    # --- combinations ---

    def _all(self, node: Node, combined: str) -> Shape:
        parts = [part for part in node.entries(combined) if isinstance(part.value, Mapping)]
        shapes = [self.shape(part) for part in parts if _TYPED & set(part.value)]
        rest = self._beside(node, combined)
        shape = self._merged(node, [*shapes, *rest])
        # `nullable` of a part that says nothing else is meant for the whole.
        adds_null = any(part.flag("nullable") and not _TYPED & set(part.value) for part in parts)
        return as_null(shape) if adds_null else shape

    def _either(self, node: Node, combined: str) -> Shape:
        shapes = [self.shape(part) for part in node.entries(combined)]
        shape = either(shapes, node.pointer)
        if isinstance(shape, ObjectOf | Enumeration) and shape.pointer == node.pointer:
            shape = replace(shape, name=component_name(node))
        if isinstance(shape, ObjectOf) and shape.pointer == node.pointer:
            shape = _told_apart(shape, node, shapes)
        rest = self._beside(node, combined)
        return self._merged(node, [shape, *rest]) if rest and any(not is_any(part) for part in rest) else shape

    def _beside(self, node: Node, combined: str) -> list[Shape]:
        """What the schema says beside a combination, as a part of its own."""
        value = {
            name: part for name, part in node.mapping().items() if name not in {combined, "description", "nullable"}
        }
        if value.get("type") == "object" and not {"properties", "additionalProperties"} & set(value):
            del value["type"]
        return [self.shape(Node(node.root, value, f"{node.pointer}/+"))] if _TYPED & set(value) else []

    def _merged(self, node: Node, shapes: list[Shape]) -> Shape:
        """What a value is that has all of these shapes."""
        known = [shape for shape in shapes if not is_any(shape)]
        if not known:
            return shapes[0] if shapes else any_json(node.pointer, "the schema gives no type")
        if len(known) == 1:
            return known[0]
        objects = [shape for shape in known if isinstance(shape, ObjectOf | MapOf)]
        if len(objects) < len(known):
            kinds = {type(shape) for shape in known}
            narrow = next((shape for shape in known if isinstance(shape, Enumeration)), known[-1])
            return narrow if kinds <= {Scalar, Enumeration} else any_json(node.pointer, "allOf of different types")
        named = [shape for shape in objects if isinstance(shape, ObjectOf)]
        if not named:
            return objects[-1]
        return ObjectOf(
            pointer=node.pointer,
            name=component_name(node),
            load=lambda: _all_fields(named, required_names(node)),
            extends=next((shape for shape in named if shape.name), None),
            nullable=all(shape.nullable for shape in named),
            description=next((shape.description for shape in reversed(named) if shape.description), ""),
        )

    # --- plain schemas ---

    def _plain(self, node: Node) -> Shape:
        kinds = types_of(node)
        nullable = "null" in kinds
        others = [kind for kind in kinds if kind != "null"]
        if kinds == ["null"]:
            return any_json(node.pointer, ONLY_NULL, nullable=True)
        if len(others) > 1:
            return either([replace(self._of_type(node, kind), nullable=nullable) for kind in others], node.pointer)
        shape = self._of_type(node, others[0] if others else implied_type(node))
        return as_null(shape) if nullable else shape

    def _of_type(self, node: Node, kind: str) -> Shape:
        match kind:
            case "":
                return any_json(node.pointer, "the schema gives no type")
            case "array":
                return ListOf(pointer=node.pointer, item=self.shape(node.child("items")))
            case "object":
                return self._object(node)
            case "string":
                return Scalar(pointer=node.pointer, kind=text_kind(node))
            case _ if kind in _SCALARS:
                return Scalar(pointer=node.pointer, kind=_SCALARS[kind])
        raise SchemaError(f"{node.pointer}/type", f"{kind} is no type")

    def _object(self, node: Node) -> Shape:
        if not any(node.members("properties")):
            value = node.child("additionalProperties")
            patterns = [part for _, part in node.members("patternProperties")]
            if value is None or isinstance(value.value, bool):
                value = patterns[0] if len(patterns) == 1 else None
            inside = self.shape(value) if value is not None else any_json(node.pointer)
            return MapOf(pointer=node.pointer, value=inside)
        name = component_name(node) or node.text("title")
        return ObjectOf(pointer=node.pointer, name=name, load=self._fields_of(node))

    def _fields_of(self, node: Node) -> Callable[[], dict[str, Field]]:
        def load() -> dict[str, Field]:
            required = required_names(node)
            fields = {}
            for name, part in node.members("properties"):
                own = part.target() or part
                fields[name] = Field(
                    shape=self.shape(part),
                    required=name in required,
                    read_only=part.flag("readOnly") or own.flag("readOnly"),
                    write_only=part.flag("writeOnly") or own.flag("writeOnly"),
                    description=part.text("description"),
                    max_length=next((each for each in _said(own, "maxLength") if type(each) is int), None),
                    format=next((each for each in _said(own, "format") if isinstance(each, str)), ""),
                )
            return fields

        return load


def _said(node: Node, name: str) -> Iterator[object]:
    """What a schema, or a part of one that may also be null, says under a name."""
    parts = [node, *node.entries("anyOf"), *node.entries("oneOf"), *node.entries("allOf")]
    return (each.value.get(name) for each in parts if isinstance(each.value, Mapping))


def _all_fields(shapes: list[ObjectOf], required: frozenset[str]) -> dict[str, Field]:
    """The fields of all of these; of two with one name the later one, unless it says nothing of its type."""
    fields: dict[str, Field] = {}
    for shape in shapes:
        for name, field in shape.fields.items():
            known = fields.get(name)
            fields[name] = field if known is None else _both(known, field)
    return {name: replace(field, required=field.required or name in required) for name, field in fields.items()}


def _both(one: Field, other: Field) -> Field:
    return Field(
        shape=one.shape if is_any(other.shape) else other.shape,
        description=other.description or one.description,
        required=one.required or other.required,
        read_only=one.read_only or other.read_only,
        write_only=one.write_only or other.write_only,
    )


def _told_apart(shape: ObjectOf, node: Node, shapes: list[Shape]) -> ObjectOf:
    """The object that stands for several, with the values of the member that tells them apart."""
    names = [each.name or "an object" for each in shapes if isinstance(each, ObjectOf)]
    teller = node.child("discriminator")
    property_name = teller.text("propertyName") if teller is not None else ""
    values = tuple(value for value, _ in teller.members("mapping")) if teller is not None else ()

    def load() -> Mapping[str, Field]:
        field = shape.fields.get(property_name)
        if not values or field is None or not isinstance(field.shape, Scalar):
            return shape.fields
        known = Enumeration(pointer=f"{node.pointer}/properties/{property_name}", values=values)
        return {**shape.fields, property_name: replace(field, shape=known)}

    return replace(shape, load=load, description=f"One of {', '.join(names)}, with the fields of all of them.")
