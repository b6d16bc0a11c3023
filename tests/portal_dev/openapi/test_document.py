"""A schema is read as YAML or JSON, and its values as shapes; what is wrong with it is told by its place."""

import json
from typing import Any

import pytest

from portal_dev.openapi import SchemaError, declarations, read_document
from tests.portal_dev.openapi.small_schemas import TEXT, answers, document, ref, shape

INTEGER = {"type": "integer"}
CLIENT = {"type": "object", "required": ["name"], "properties": {"name": TEXT, "age": INTEGER}}
IT = "#/components/schemas/It"
NESTED = "the alias a"


def test_yaml_has_the_types_of_json() -> None:
    text = "openapi: 3.0.3\nx-values: [no, 2026-01-01, true, null, 12, '12']\nx-first: &a {b: 1}\nx-second: {<<: *a}"
    found = read_document(text).value
    assert found["x-values"] == ["no", "2026-01-01", True, None, 12, "12"]
    assert found["x-second"] == {"b": 1}


def with_it(schema: Any) -> str:
    """A document whose call is answered with this schema of its components, which has the name `It`."""
    return json.dumps(document(paths={"/a": {"get": answers(ref("It"))}}, It=schema))


def bomb(line: str) -> str:
    """A document of twenty lines, each of which repeats the one before it twice."""
    lines = [f"  - &a{number} {line.format(above=f'*a{number - 1}')}" for number in range(1, 20)]
    return "\n".join(["openapi: 3.0.3", "x-a:", "  - &a0 {a: 1}", *lines])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "#/openapi: should be a text such as '3.1.0', not missing"),
        ("openapi: 4.0.0", "#/openapi: should be a text such as '3.1.0', not 4.0.0"),
        ("openapi: 3.0.3\na: [", "it is neither JSON nor YAML: "),
        ("openapi: !!python/name:os.system x", "it is neither JSON nor YAML: "),
        ('{"openapi": "3.0.3",}', "it is neither JSON nor YAML: "),
        ('{"a":' * 100_000, "maximum recursion depth exceeded"),
        ("openapi: 3.0.3\na: " + "[" * 100_000, "it is nested too deeply"),
        (bomb("[{above}, {above}]"), NESTED),
        (bomb("{{<<: [{above}, {above}]}}"), NESTED),
        ("openapi: 3.0.3\na: &a [*a]", NESTED),
        (
            "openapi: 3.0.3\npaths: {/a: {get: {parameters: 5}}}",
            "#/paths/~1a/get/parameters: should be an object or an",
        ),
        ("openapi: 3.0.3\npaths: {/a: {$ref: a.yaml}}", "#/paths/~1a: a.yaml is in another document; bundle them"),
        ("openapi: 3.0.3\npaths: {}", "#/paths: nothing stands at / or below it"),
        (with_it(5), f"{IT}: should be an object, not int"),
        (with_it(ref("Nobody")), f"{IT}: #/components/schemas/Nobody names nothing"),
        ("openapi: 3.0.3\npaths: {/a: {$ref: '#/paths/~1a'}}", "maximum recursion depth exceeded"),
    ],
    ids=lambda each: each[:40],
)
def test_fault_is_told_with_its_place(text: str, told: str) -> None:
    with pytest.raises((SchemaError, RecursionError)) as caught:
        declarations(text)
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(
    ("schema", "kind", "nullable"),
    [
        ({"type": "string", "format": "date-time"}, "time", False),
        ({"type": "string", "format": "decimal"}, "decimal", False),
        ({"items": TEXT}, "list[text]", False),
        ({"properties": {"a": TEXT}}, "It", False),
        ({"allOf": [TEXT, {"description": "A name."}]}, "text", False),
        (True, "any", False),
        ({"type": ["string", "null"]}, "text", True),
        ({"anyOf": [{"$ref": "#/components/schemas/a~1b~0c%20d"}, {"type": "null"}]}, "Client", True),
        ({"allOf": [ref("Client"), {"nullable": True}]}, "Client", True),
    ],
)
def test_value_has_a_kind_and_may_be_null(schema: Any, kind: str, nullable: bool) -> None:
    found = shape(schema, **{"Client": CLIENT, "a/b~c d": ref("Client")})
    assert (str(found), found.nullable) == (kind, nullable)


def test_enumeration_has_all_values() -> None:
    found = shape({"enum": ["a", "b", "a", None]})
    assert (found.kind, found.values, found.nullable) == ("enum", ("a", "b"), True)


@pytest.mark.parametrize(
    ("schema", "note"),
    [
        ({}, "the schema gives no type"),
        ({"type": "strin"}, "it is strin"),
        ({"type": ["string", "integer"]}, "it is string or integer"),
        ({"type": "object", "additionalProperties": INTEGER}, "its fields have any names"),
        ({"enum": ["low", 1]}, "it is one of values that are no texts"),
        ({"anyOf": [TEXT, ref("Client")]}, "it is text or Client"),
        ({"oneOf": [{"enum": ["a"]}, {"enum": ["b"]}]}, "it is enum or enum"),
        ({"allOf": [TEXT, CLIENT]}, "allOf of different types"),
        ({"$ref": "other.yaml#/It"}, "other.yaml#/It is in another document"),
        (ref("It"), "it contains itself without an object between"),
    ],
)
def test_other_values_are_any_with_a_reason(schema: Any, note: str) -> None:
    found = shape(schema, Client=CLIENT)
    assert ((found.item or found).kind, found.note) == ("any", note)


def test_recursive_object_ends_and_parts_are_merged() -> None:
    tree = {"allOf": [ref("Client"), {"required": ["age"], "properties": {"parent": ref("It")}}]}
    found = shape(tree, Client=CLIENT)
    assert {name: str(each) for name, each in found.fields.items()} == {
        "name": "text",
        "age": "integer",
        "parent": "It",
    }
    assert [name for name, each in found.fields.items() if each.required] == ["name", "age"]
    assert found.fields["parent"].pointer == found.pointer
