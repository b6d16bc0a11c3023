"""Values by a schema: examples of what it takes, and what is wrong with what was answered."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from portal_dev.openapi.document import Node

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


#: Knows the formats of the library, and the backend's decimals.
_CHECKER = FormatChecker()
_CHECKER.checks("decimal", raises=ArithmeticError)(lambda value: Decimal(value).is_finite())


def misfits(value: Any, schema: Node) -> list[str]:
    """Name the parts of a value that are not as its schema says, or that it does not describe."""
    root = {**_strict(schema.value), "components": _strict(schema.root["components"])}
    found = Draft202012Validator(root, format_checker=_CHECKER).iter_errors(value)
    return [f"{each.json_path}: {each.message}" for each in found]


def _strict(schema: Any) -> Any:
    """Write what OpenAPI 3.0 has of its own as JSON Schema has it, and let objects have no other fields."""
    if isinstance(schema, list):
        return [_strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: _strict(part) for name, part in schema.items()}
    if "properties" in made:
        made["additionalProperties"] = False
    return {"anyOf": [made, {"type": "null"}]} if "nullable" in made else made
