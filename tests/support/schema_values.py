"""Values by a schema: examples of what it takes, and what is wrong with what was answered."""

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from portal_dev.openapi.document import Node
from portal_dev.openapi.reader import Shape

#: Texts of which one should fit a format or a pattern.
_TEXTS = ("Ada", "ada@example.com", "FINANCE_APP", "12.50", "2026-03-09", "2026-03-09T10:00:00Z", "https://example.com")
_FORMATS = {"email": "ada@example.com", "decimal": "12.50", "date": "2026-03-09", "date-time": "2026-03-09T10:00:00Z"}


def example(node: Node, *, known: Mapping[str, Any], only: str | None = None) -> Any:
    """A value that the schema takes: of an object the fields that it needs.

    :param known: values of fields that must be those of something that is there, such as a password.
    :param only: in place of the needed fields, this one.
    """
    schema = node.target()
    value = schema.value
    if "properties" in value:
        names = [only] if only else value.get("required", [])
        return {name: known.get(name, example(schema.child("properties", name), known=known)) for name in names}
    if value.get("type") == "array":
        return [example(schema.child("items"), known=known)]
    if "example" in value:
        return value["example"]
    plain = {"integer": 7, "number": 7, "boolean": True}
    return value["enum"][0] if "enum" in value else plain.get(value.get("type", ""), _text(value))


def _text(schema: Mapping[str, Any]) -> str:
    fitting = (text for text in _TEXTS if re.search(schema.get("pattern", ""), text))
    return _FORMATS.get(schema.get("format", "")) or next(fitting)


def misfits(value: Any, shape: Shape, place: str = "") -> Iterator[str]:
    """Yield the parts of a value that are not as its schema says, with their places."""
    if value is None:
        if not shape.nullable and shape.kind != "any":
            yield f"{place}: null"
    elif shape.kind == "enum":
        if value not in shape.values:
            yield f"{place}: {value!r}"
    elif shape.item:
        parts = value.items() if shape.kind == "map" else enumerate(value)
        for name, each in parts:
            yield from misfits(each, shape.item, f"{place}.{name}" if shape.kind == "map" else f"{place}[{name}]")
    elif shape.kind == "object":
        yield from _misfits_of_object(value, shape, place)
    elif not _is(value, shape.kind):
        yield f"{place}: {value!r} is not {shape.kind}"


def _misfits_of_object(value: Any, shape: Shape, place: str) -> Iterator[str]:
    needed = {name for name, field in shape.fields.items() if field.required}
    yield from (f"{place}.{name}: missing" for name in needed - set(value))
    yield from (f"{place}.{name}: not described" for name in set(value) - set(shape.fields))
    for name in set(value) & set(shape.fields):
        yield from misfits(value[name], shape.fields[name], f"{place}.{name}")


def _is(value: Any, kind: str) -> bool:
    types: dict[str, Any] = {"text": str, "integer": int, "number": int | float, "boolean": bool}
    if kind in types:
        return isinstance(value, types[kind]) and (kind == "boolean" or not isinstance(value, bool))
    reads: dict[str, Any] = {"decimal": Decimal, "time": datetime.fromisoformat, "day": date.fromisoformat}
    try:
        return kind == "any" or (isinstance(value, str) and reads[kind](value) is not None)
    except (ValueError, ArithmeticError):
        return False
