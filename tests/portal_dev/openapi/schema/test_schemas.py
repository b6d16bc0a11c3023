"""What a value can be, from its schema: references, combinations, null, enumerations, formats."""

from __future__ import annotations

from typing import Any

import pytest

from portal_dev.openapi.schema import ObjectOf, Shape, in_words
from tests.portal_dev.openapi.small_schemas import TEXT, ref, shape

INTEGER = {"type": "integer"}
CLIENT = {"type": "object", "required": ["name"], "properties": {"name": TEXT, "age": INTEGER}}
CARD = {
    "type": "object",
    "required": ["type"],
    "properties": {"type": {"enum": ["card"]}, "last4": TEXT, "month": INTEGER},
}
BANK = {"type": "object", "required": ["type"], "properties": {"type": {"const": "bank"}, "iban": TEXT, "month": TEXT}}


def fields(found: Shape) -> dict[str, str]:
    """Name to type of an object's fields."""
    assert isinstance(found, ObjectOf)
    return {name: in_words(field.shape) for name, field in found.fields.items()}


PLAIN: list[tuple[Any, str]] = [
    (TEXT, "a text"),
    ({"type": "string", "format": "date-time"}, "a time"),
    ({"type": "string", "format": "date"}, "a day"),
    ({"type": "string", "format": "uuid"}, "a text"),
    ({"type": "string", "format": "decimal"}, "a decimal in a text"),
    ({"type": "string", "format": "decimal", "pattern": r"^-?\d{0,10}(?:\.\d{0,2})?$"}, "a decimal in a text"),
    ({"type": "string", "pattern": r"^-?\d{0,10}(?:\.\d{0,2})?$"}, "a decimal in a text"),
    ({"type": "string", "pattern": r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$"}, "a decimal in a text"),
    ({"type": "string", "pattern": r"^\d+$"}, "a text"),
    ({"type": "string", "pattern": r"^\d+(\.\d+)*$"}, "a text"),
    ({"type": "string", "pattern": r"(?<n>"}, "a text"),
    (INTEGER, "an integer"),
    ({"type": "number", "format": "double"}, "a number"),
    ({"type": "boolean"}, "a boolean"),
    ({"type": "array", "items": TEXT}, "an array (each a text)"),
    ({"prefixItems": [TEXT]}, "an array (each any JSON)"),
    ({"type": "object"}, "an object with any names (each any JSON)"),
    ({"type": "object", "additionalProperties": INTEGER}, "an object with any names (each an integer)"),
    ({"type": "object", "patternProperties": {"^S_": TEXT}}, "an object with any names (each a text)"),
    ({"properties": {"a": TEXT}}, "the object It"),
    ({}, "any JSON"),
    (True, "any JSON"),
    ({"not": TEXT}, "any JSON"),
    ({"$ref": "other.yaml#/components/schemas/It"}, "any JSON"),
]
OR_NULL: list[tuple[Any, str]] = [
    ({"type": "string", "nullable": True}, "a text"),
    ({"type": ["string", "null"]}, "a text"),
    ({"oneOf": [TEXT, {"type": "null"}]}, "a text"),
    ({"anyOf": [{"$ref": "#/components/schemas/a~1b~0c%20d"}, {"type": "null"}]}, "the object Client"),
    ({"allOf": [ref("Client"), {"nullable": True}]}, "the object Client"),
    ({"$ref": "#/components/schemas/Client", "nullable": True}, "the object Client"),
    ({"type": "string", "enum": ["a", "b", None]}, "one of a, b"),
    ({"oneOf": [{"enum": ["a", "b"]}, {"enum": [""]}, {"enum": [None]}]}, "one of a, b, "),
    ({"type": "null"}, "any JSON"),
    ({"enum": [None]}, "any JSON"),
]


@pytest.mark.parametrize(
    ("schema", "kind", "nullable"), [*((*each, False) for each in PLAIN), *((*each, True) for each in OR_NULL)]
)
def test_what_a_value_is_and_whether_it_may_be_null(schema: Any, kind: str, nullable: bool) -> None:
    found = shape(schema, **{"Client": CLIENT, "a/b~c d": ref("Client")})
    assert (in_words(found), found.nullable) == (kind, nullable)


@pytest.mark.parametrize(
    ("schema", "kind", "note"),
    [
        ({"enum": ["a", "b", "a"]}, "one of a, b", ""),
        ({"const": "card"}, "one of card", ""),
        ({"type": "integer", "enum": [1, 2]}, "an integer", "it is 1 or 2"),
        ({"enum": [True]}, "a boolean", "it is true"),
        ({"enum": ["low", 1]}, "any JSON", 'it is "low" or 1'),
        ({"type": ["string", "integer"]}, "any JSON", "it is a text or an integer"),
        ({"type": ["integer", "number"]}, "a number", ""),
        ({"anyOf": [{"type": "number"}, {"type": "string", "format": "decimal"}]}, "a decimal in a text", ""),
        ({"anyOf": [{"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}]}, "a text", ""),
        ({"anyOf": [{"enum": ["a", "b"]}, TEXT]}, "one of a, b", ""),
        ({"anyOf": [TEXT, {"enum": ["a", "b"]}]}, "one of a, b", ""),
        ({"anyOf": [TEXT, ref("Client")]}, "any JSON", "it is a text or the object Client"),
        ({"oneOf": [{"type": "array", "items": TEXT}, {"items": TEXT}]}, "an array (each a text)", ""),
        ({"oneOf": [{"items": TEXT}, {"items": INTEGER}]}, "an array (each any JSON)", ""),
        ({"allOf": [TEXT, {"type": "integer"}]}, "an integer", ""),
        ({"allOf": [TEXT, CLIENT]}, "any JSON", "allOf of different types"),
        ({"allOf": []}, "any JSON", "the schema gives no type"),
        ({"$ref": "other.yaml#/It"}, "any JSON", "other.yaml#/It is in another document"),
    ],
)
def test_what_can_be_said_of_several_values_or_types(schema: Any, kind: str, note: str) -> None:
    found = shape(schema, Client=CLIENT)
    assert in_words(found) == kind
    assert found.note == note


def test_the_parts_of_all_of_are_one_object() -> None:
    schema = {
        "allOf": [ref("Client"), {"required": ["age"], "properties": {"city": TEXT, "age": {"description": "Years."}}}]
    }
    found = shape(schema, Client=CLIENT)
    assert fields(found) == {"name": "a text", "age": "an integer", "city": "a text"}
    assert isinstance(found, ObjectOf)
    assert [name for name, field in found.fields.items() if field.required] == ["name", "age"]
    assert found.fields["age"].description == "Years."
    assert found.extends is not None
    assert found.extends.name == "Client"


def test_one_of_several_objects_has_the_fields_of_all_and_the_values_that_tell_them_apart() -> None:
    found = shape({"properties": {"id": TEXT}, "oneOf": [ref("Card"), ref("Bank")]}, Card=CARD, Bank=BANK)
    assert fields(found) == {
        "id": "a text",
        "type": "one of card, bank",
        "last4": "a text",
        "month": "any JSON",
        "iban": "a text",
    }
    assert isinstance(found, ObjectOf)
    assert [name for name, field in found.fields.items() if field.required] == ["type"]
    assert found.description == "One of Card, Bank, with the fields of all of them."
    assert found.name == "It"


def test_a_discriminator_gives_the_values_that_the_schemas_do_not() -> None:
    plain = {"type": "object", "properties": {"kind": TEXT}}
    teller = {"propertyName": "kind", "mapping": {"card": "#/components/schemas/A", "bank": "#/components/schemas/B"}}
    found = shape({"oneOf": [ref("A"), ref("B")], "discriminator": teller}, A=plain, B=plain)
    assert fields(found) == {"kind": "one of card, bank"}
