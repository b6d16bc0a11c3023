"""A schema's calls: their parameters, bodies and answers as shapes.

Shapes are objects, lists, scalars, enumerations and references. Other values are any JSON, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Final, NamedTuple

from portal.api import Backend
from portal.config import contract_names as names
from portal_dev.openapi.document import Node, SchemaError

#: The kinds of types, and of the formats of texts.
_KINDS: Final = {"string": "text", "array": "list", "object": "object"}
_KINDS.update({kind: kind for kind in ("integer", "number", "boolean")})
_FORMATS: Final = {"date-time": "time", "date": "day", "decimal": "decimal"}
_IMPLIED: Final = {"properties": "object", "items": "array"}
_NULL: Final = "it is null"
_NO_TYPE: Final = "the schema gives no type"
#: Headers that each call has, or that are none of its own.
_SENT: Final = {"accept", "authorization", "content-type", Backend.idempotency_header.lower()}
_JSON: Final = re.compile(r"(application/(?!problem)([^/;]*\+)?json|(application|\*)/\*)\s*(;.*)?", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, eq=False)
class Shape:
    """The values that a schema takes.

    :param kind: `text`, `integer`, `number`, `decimal` (in a text), `boolean`, `time`, `day`, `enum`, `list`, `object`,
        `any`, or `file` for a body that is no JSON.
    :param note: why it, or its item, is any JSON or none; empty for the other kinds.
    :param values: of an enumeration.
    :param item: of a list.
    :param load: makes the fields, when they are first asked for: an object may contain itself.
    :param required: of a member, a parameter or a body. `read_only` and `max_length` (0: no limit) are a member's.
    """

    kind: str
    pointer: str = ""
    nullable: bool = False
    note: str = ""
    values: tuple[str, ...] = ()
    item: Shape | None = None
    load: Callable[[], dict[str, Shape]] = field(default=dict)
    required: bool = False
    read_only: bool = False
    max_length: int = 0

    @property
    def name(self) -> str:
        """The name of the schema; empty where it has none."""
        above, _, name = self.pointer.rpartition("/")
        return name if above == "#/components/schemas" else ""

    @cached_property
    def fields(self) -> dict[str, Shape]:
        """The members of an object, by their names on the wire."""
        return self.load()

    def __str__(self) -> str:
        """Name it in notes and differences, such as `list[text]`."""
        return f"{self.kind}[{self.item}]" if self.item else (self.kind == "object" and self.name) or self.kind


class Schemas:
    """The schemas of one document as shapes."""

    def __init__(self) -> None:
        self._made: dict[str, Shape] = {}

    def shape(self, node: Node | None) -> Shape:
        """Return the shape of a schema.

        :raises SchemaError: the schema is broken.
        """
        if node is None:
            return _any(_NO_TYPE)
        if node.pointer not in self._made:
            self._made[node.pointer] = _any("it contains itself without an object between")
            self._made[node.pointer] = self._read(node)
        return self._made[node.pointer]

    def _read(self, node: Node) -> Shape:
        if not isinstance(node.value, dict | bool):
            raise SchemaError(node.pointer, f"should be an object, not {type(node.value).__name__}")
        if (ref := node.get("$ref", "")) and not ref.startswith("#"):
            return _any(f"{ref} is in another document")
        parts = [node.followed()] if ref else [*node.members("allOf").values()]
        choices = [*node.members("oneOf").values(), *node.members("anyOf").values()]
        is_choice = choices and not node.members("properties")
        shapes = [*map(self.shape, parts), self._choice(choices) if is_choice else self._typed(node)]
        known = [shape for shape in shapes if shape.kind != "any"] or shapes[:1]
        needed = [wire for part in (node, *parts) for wire in part.get("required", list[Any]())]

        def load() -> dict[str, Shape]:
            fields = {name: member for shape in known for name, member in shape.fields.items()}
            return {name: replace(each, required=each.required or name in needed) for name, each in fields.items()}

        found = known[0]
        if known[1:]:
            are_objects = all(shape.kind == "object" for shape in known)
            merged = Shape(kind="object", pointer=node.pointer, load=load)
            found = merged if are_objects else _any("allOf of different types")
        return replace(
            found,
            nullable=any(shape.nullable for shape in shapes) or node.get("nullable", False),
            read_only=found.read_only or node.get("readOnly", False),
            max_length=node.get("maxLength", 0) or found.max_length,
        )

    def _choice(self, parts: list[Node]) -> Shape:
        shapes = [*map(self.shape, parts)]
        known = [shape for shape in shapes if shape.note != _NULL]
        note = f"it is {' or '.join(map(str, known))}" if known else _NULL
        is_nullable = len(known) < len(shapes) or any(shape.nullable for shape in known)
        return replace(known[0] if len(known) == 1 else _any(note), nullable=is_nullable)

    def _typed(self, node: Node) -> Shape:
        if node.members("enum"):
            return _enumeration(node)
        schema: dict[str, Any] = node.value if isinstance(node.value, dict) else {}
        given: Any = schema.get("type") or next((kind for name, kind in _IMPLIED.items() if name in schema), [])
        types = [str(kind) for kind in (given if isinstance(given, list) else [given])]
        others = [kind for kind in types if kind != "null"]
        if len(others) != 1 or others[0] not in _KINDS:
            return _any(f"it is {' or '.join(others)}" if others else _NULL if types else _NO_TYPE)
        kind = _KINDS[others[0]]
        if kind == "object" and not node.members("properties"):
            return _any("its fields have any names")
        item = self.shape(node.child("items")) if kind == "list" else None
        return Shape(
            kind=_FORMATS.get(node.get("format", ""), kind) if kind == "text" else kind,
            pointer=node.pointer,
            nullable="null" in types,
            note=item.note if item else "",
            item=item,
            load=partial(self._fields, node) if kind == "object" else dict,
        )

    def _fields(self, node: Node) -> dict[str, Shape]:
        needed = node.get("required", list[Any]())
        parts = node.members("properties").items()
        return {name: replace(self.shape(part), required=name in needed) for name, part in parts if is_possible(name)}


def _any(note: str) -> Shape:
    return Shape(kind="any", note=note)


def _enumeration(node: Node) -> Shape:
    given = [part.value for part in node.members("enum").values()]
    known = [value for value in given if value is not None]
    # Half of a surrogate pair is no text.
    if all(isinstance(value, str) and not re.search("[\ud800-\udfff]", value) for value in known) and known:
        values = tuple(dict.fromkeys(known))
        return Shape(kind="enum", pointer=node.pointer, values=values, nullable=len(known) < len(given))
    return _any("it is one of values that are no texts" if known else _NULL)


# --- calls ---


class Parameter(NamedTuple):
    """A parameter of a call.

    :param place: `path`, `query`, `header` or `cookie`.
    :param is_repeated: whether several values are sent repeated; False: with commas between them; None: otherwise.
    """

    name: str
    place: str
    shape: Shape
    is_repeated: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One method of one path.

    :param parameters: the path's in its order, then the others.
    :param body: None for nothing, as `answer`.
    """

    method: str
    path: str
    parameters: list[Parameter]
    body: Shape | None
    answer: Shape | None

    @property
    def query(self) -> dict[str, Shape]:
        """The parameters of the query string, by name."""
        return {each.name: each.shape for each in self.parameters if each.place == "query"}

    @property
    def item(self) -> Shape | None:
        """The row of a cursor-paginated list (contract, section 7); None for any other answer."""
        fields = self.answer.fields if self.answer else {}
        is_page = {names.ITEMS_FIELD, names.HAS_NEXT_FIELD, names.NEXT_CURSOR_FIELD} <= {*fields}
        return fields[names.ITEMS_FIELD].item if is_page else None


def path_names(path: str) -> list[str]:
    """Return the names of a path's parameters, in its order."""
    return re.findall(r"\{([^{}]*)\}", path)


def is_possible(wire: str) -> bool:
    """Return whether a field can have this name on the wire: msgspec takes no other."""
    return bool(wire) and wire.isprintable() and not {'"', "\\"} & set(wire)


def without_names(path: str) -> str:
    """Return a path with `{}` in place of each parameter."""
    return re.sub(r"\{[^{}]*\}", "{}", path)


def is_below(path: str, prefix: str) -> bool:
    """Return whether a path is this one, or begins with its segments."""
    start = prefix.rstrip("/")
    return path == start or path.startswith(f"{start}/")


def read_operations(document: Node, *, below: str = "") -> list[Operation]:
    """Return the operations of a schema, in its order.

    :param below: only of this path and of those below it.
    :raises SchemaError: a part of the schema is broken.
    """
    schemas = Schemas()
    chosen = {path: item.target() for path, item in document.members("paths").items() if is_below(path, below)}
    return [
        _operation(method.upper(), path, item, node.target(), schemas)
        for path, item in chosen.items()
        for method in ("get", "post", "put", "patch", "delete")
        if path.startswith("/") and (node := item.child(method))
    ]


def _operation(method: str, path: str, item: Node, node: Node, schemas: Schemas) -> Operation:
    given = {("path", name): Parameter(name, "path", Shape(kind="text", required=True)) for name in path_names(path)}
    for part in (*item.members("parameters").values(), *node.members("parameters").values()):
        each = _parameter(part.target(), schemas)
        if each.name in path_names(path) if each.place == "path" else each.name.lower() not in _SENT:
            given[each.place, each.name] = each
    answers = node.members("responses")
    # The first answer of success that says something.
    named = sorted(status for status in answers if status[:1] in {"1", "2", "3"}) or ["default"]
    return Operation(
        method=method,
        path=path,
        parameters=[*given.values()],
        body=_body(node.child("requestBody"), schemas),
        answer=next(filter(None, (_body(answers.get(status), schemas) for status in named)), None),
    )


def _parameter(node: Node, schemas: Schemas) -> Parameter:
    name, place = node.get("name", ""), node.get("in", "")
    is_repeated = node.get("explode", True) if node.get("style", "form") == "form" else None
    is_required = place == "path" or node.get("required", False)
    return Parameter(name, place, replace(schemas.shape(node.child("schema")), required=is_required), is_repeated)


def _body(node: Node | None, schemas: Schemas) -> Shape | None:
    part = node.target() if node else None
    contents = part.members("content") if part else {}
    if part is None or not contents:
        return None
    # `application/json` first.
    media = sorted(filter(_JSON.fullmatch, contents), key=lambda each: each != "application/json")
    if not media:
        return Shape(kind="file", note=f"it is {' or '.join(contents)}, no JSON", required=part.get("required", False))
    return replace(schemas.shape(contents[media[0]].child("schema")), required=part.get("required", False))
