"""What the keywords of one schema say: `type`, `enum`, `const`, `format`, `pattern`, `required`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from portal_dev.openapi.schema.document import SchemaError
from portal_dev.openapi.schema.shapes import ONLY_NULL, Enumeration, Scalar, Shape, any_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal_dev.openapi.schema.document import Node
    from portal_dev.openapi.schema.shapes import ValueKind

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
