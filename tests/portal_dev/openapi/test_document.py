"""A schema is read as YAML or JSON, and its values as shapes; what is wrong with it is told by its place."""

from __future__ import annotations

import builtins
import json
from typing import Any

import pytest

from portal_dev.openapi import SchemaError, declarations, read_document
from tests.portal_dev.openapi.small_schemas import TEXT, answers, document, ref, shape

INTEGER = {"type": "integer"}
CLIENT = {"type": "object", "required": ["name"], "properties": {"name": TEXT, "age": INTEGER}}
IT, ANSWER = "#/components/schemas/It", "#/paths/~1a/get/responses/200/content/application~1json/schema"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((text, text) for text in ("no", "on", "2026-01-01")),
        *(("true", True), ("null", None), ("12", 12), ("-1.5", -1.5), ("'12'", "12")),
    ],
)
def test_yaml_has_the_types_of_json(text: str, value: object) -> None:
    assert read_document(f"openapi: 3.0.3\nx-value: {text}\n").value["x-value"] == value


def test_json_needs_no_pyyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def without_yaml(name: str, *args: Any, **options: Any) -> Any:
        if name == "yaml":
            raise ImportError(name)
        return imported(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without_yaml)
    assert read_document('\ufeff {"openapi": "3.1.0"}').get("openapi", "") == "3.1.0"
    with pytest.raises(SchemaError, match=r"PyYAML.*pip install 'portal-library\[dev\]'"):
        read_document("openapi: 3.1.0")


def with_it(schema: Any) -> str:
    """A document whose call is answered with this schema of its components, which has the name `It`."""
    return json.dumps(document(paths={"/a": {"get": answers(ref("It"))}}, It=schema))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "#/openapi: should be a text such as '3.1.0', not missing"),
        ("swagger: '2.0'", "#/openapi: should be a text such as '3.1.0', not missing"),
        ("openapi: 4.0.0", "#/openapi: should be a text such as '3.1.0', not 4.0.0"),
        ("openapi: 3.0.3\na: [", "it is neither JSON nor YAML: "),
        ("openapi: !!python/name:os.system x", "it is neither JSON nor YAML: "),
        ('{"openapi": "3.0.3",}', "it is neither JSON nor YAML: "),
        ('{"a":' * 100_000, "it is nested too deeply"),
        ("openapi: 3.0.3\npaths: 5", "#/paths: should be an object or an array, not int"),
        ("openapi: 3.0.3\npaths: {a: {}}", "#/paths/a: a path should begin with a slash"),
        ("openapi: 3.0.3\npaths: {/a: {get: []}}", "#/paths/~1a/get: should be an object of this document"),
        ("openapi: 3.0.3\npaths: {/a: {get: {parameters: [{in: query}]}}}", "#/paths/~1a/get/parameters/0: a param"),
        ("openapi: 3.0.3\npaths: {}", "#/paths: nothing stands at / or below it; there are none"),
        (with_it({"type": "strin"}), f"{IT}/type: strin is no type"),
        (with_it({"type": {}}), f"{IT}/type: should be the name of a type"),
        (with_it(5), f"{IT}: should be an object, not int"),
        (with_it(ref("Nobody")), f"{IT}: #/components/schemas/Nobody names nothing"),
        (with_it(ref("It")), f"{ANSWER}: {IT} leads back to itself"),
    ],
    ids=lambda each: each[:40],
)
def test_fault_is_told_with_its_place(text: str, told: str) -> None:
    with pytest.raises(SchemaError) as caught:
        declarations(text)
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(
    ("schema", "kind", "nullable"),
    [
        (TEXT, "a text", False),
        ({"type": "string", "format": "date-time"}, "a time", False),
        ({"type": "string", "format": "date"}, "a day", False),
        ({"type": "string", "format": "decimal"}, "a decimal in a text", False),
        ({"type": "number", "format": "double"}, "a number", False),
        ({"type": "array", "items": TEXT}, "an array (each a text)", False),
        ({"type": "object"}, "an object with any names (each any JSON)", False),
        ({"additionalProperties": INTEGER}, "an object with any names (each an integer)", False),
        ({"properties": {"a": TEXT}}, "the object It", False),
        ({"enum": ["a", "b", "a"]}, "one of a, b", False),
        ({"const": "card"}, "one of card", False),
        ({"anyOf": [{"enum": ["a"]}, TEXT, {"enum": ["b"]}]}, "one of a, b", False),
        ({"allOf": [TEXT, {"description": "A name."}]}, "a text", False),
        (True, "any JSON", False),
        ({"type": "string", "nullable": True}, "a text", True),
        ({"type": ["string", "null"]}, "a text", True),
        ({"anyOf": [{"$ref": "#/components/schemas/a~1b~0c%20d"}, {"type": "null"}]}, "the object Client", True),
        ({"allOf": [ref("Client"), {"nullable": True}]}, "the object Client", True),
        ({"$ref": "#/components/schemas/Client", "nullable": True}, "the object Client", True),
        ({"oneOf": [{"enum": ["a", "b"]}, {"enum": [""]}, {"enum": [None]}]}, "one of a, b, ", True),
        ({"enum": ["a", "b", None]}, "one of a, b", True),
    ],
)
def test_value_has_a_kind_and_may_be_null(schema: Any, kind: str, nullable: bool) -> None:
    found = shape(schema, **{"Client": CLIENT, "a/b~c d": ref("Client")})
    assert (str(found), found.nullable) == (kind, nullable)


@pytest.mark.parametrize(
    ("schema", "note"),
    [
        ({}, "the schema gives no type"),
        ({"type": ["string", "integer"]}, "it is string or integer"),
        ({"enum": ["low", 1]}, 'it is "low" or 1'),
        ({"anyOf": [TEXT, ref("Client")]}, "it is a text or the object Client"),
        ({"allOf": [TEXT, CLIENT]}, "allOf of different types"),
        ({"type": "null"}, "the schema gives no type"),
        ({"$ref": "other.yaml#/It"}, "other.yaml#/It is in another document"),
        ({"items": ref("It")}, "it contains itself without an object between"),
    ],
)
def test_other_values_are_any_with_a_reason(schema: Any, note: str) -> None:
    found = shape(schema, Client=CLIENT)
    assert ((found.item or found).kind, (found.item or found).note) == ("any", note)


def test_recursive_object_ends_and_parts_are_merged() -> None:
    tree = {"allOf": [ref("Client"), {"required": ["age"], "properties": {"parent": ref("It")}}]}
    found = shape(tree, Client=CLIENT)
    assert {name: str(each.shape) for name, each in found.fields.items()} == {
        "name": "a text",
        "age": "an integer",
        "parent": "the object It",
    }
    assert [name for name, each in found.fields.items() if each.required] == ["name", "age"]
    assert found.fields["parent"].shape is found
