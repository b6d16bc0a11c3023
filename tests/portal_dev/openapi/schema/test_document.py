"""A schema's text is read as YAML 1.2 or JSON; what is wrong with it is told by its place."""

from __future__ import annotations

import builtins
import json
from typing import Any

import pytest

from portal_dev.openapi import SchemaError, declarations
from portal_dev.openapi.schema import read_document
from tests.portal_dev.openapi.small_schemas import answers, document, ref


def broken(text: str) -> str:
    """What is told of a schema that can't be read."""
    with pytest.raises(SchemaError) as caught:
        declarations(text)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((text, text) for text in ("no", "on", "2026-01-01", "12:30", "0o17", "1_000")),
        *(("true", True), ("null", None), ("~", None), ("12", 12), ("-1.5e3", -1500.0), ("'12'", "12")),
    ],
)
def test_yaml_is_read_by_the_rules_of_json(text: str, value: object) -> None:
    node = read_document(f"openapi: 3.0.3\nx-value: {text}\n")
    assert node.value["x-value"] == value


def test_json_is_read_without_pyyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def without_yaml(name: str, *args: Any, **options: Any) -> Any:
        if name == "portal_dev.openapi.schema.yaml_reader":
            raise ImportError(name)
        return imported(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without_yaml)
    assert read_document('\ufeff {"openapi": "3.1.0"}').text("openapi") == "3.1.0"
    with pytest.raises(SchemaError, match=r"PyYAML.*pip install 'portal-library\[dev\]'"):
        read_document("openapi: 3.1.0")


def with_it(schema: Any) -> str:
    """A document whose call is answered with this schema of its components, which has the name `It`."""
    return json.dumps(document(paths={"/a": {"get": answers(ref("It"))}}, It=schema))


ALIASES = "".join(f"x-{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 9))
IN_ITSELF = "{/a: {get: {responses: {200: {content: {application/json: {schema: &s {allOf: [*s]}}}}}}}}"
IT, ANSWER = "#/components/schemas/It", "#/paths/~1a/get/responses/200/content/application~1json/schema"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "#/openapi: should be 3.0 or 3.1, not missing"),
        ("swagger: '2.0'", "#/openapi: should be 3.0 or 3.1, not Swagger 2.0"),
        ("openapi: 4.0.0", "#/openapi: should be 3.0 or 3.1, not 4.0.0"),
        ("openapi: 3.0.3\na: [", "it is neither JSON nor YAML: line 2: "),
        ("openapi: 3.0.3\na: 1\na: 2", "it is neither JSON nor YAML: line 3: 'a' stands twice"),
        ("openapi: 3.0.3\n? [a]\n: 2", "it is neither JSON nor YAML: line 2: the name of a member should be a text"),
        ("openapi: !!python/name:os.system x", "it is neither JSON nor YAML: line 1: "),
        ("openapi: 3.0.3\na: !!timestamp 2020-01-01", "it is neither JSON nor YAML: line 2: could not determine"),
        ("openapi: 3.0.3\na: !!bool x", "it is neither JSON nor YAML: a tag does not fit its value"),
        ("openapi: 3.0.3\na: !!map [b]", "it is neither JSON nor YAML: line 2: a tag does not fit its value"),
        ("openapi: 3.1", "#/openapi: should be a text such as '3.1.0', not a number"),
        ('{"openapi": "3.0.3", "a": 1, "a": 2}', "it is neither JSON nor YAML: 'a' stands twice"),
        (r'{"openapi": "3.0.3", "a": "\ud800"}', r"half of a surrogate pair stands in '\ud800'"),
        ('{"openapi": "3.0.3",}', "it is neither JSON nor YAML: "),
        ("[" * 5_000, "it is nested too deeply"),
        ("openapi: 3.0.3\npaths: []", "#/paths: should be an object, not an array"),
        ("openapi: 3.0.3\npaths: {a: {}}", "#/paths/a: a path should begin with a slash"),
        ("openapi: 3.0.3\npaths: {/a: {get: []}}", "#/paths/~1a/get: should be an object, not an array"),
        ("openapi: 3.0.3\npaths: {/a: {get: {parameters: {}}}}", "#/paths/~1a/get/parameters: should be an array"),
        (
            "openapi: 3.0.3\npaths: {/a: {get: {parameters: [{in: query}]}}}",
            "#/paths/~1a/get/parameters/0: a parameter",
        ),
        ("openapi: 3.0.3\npaths: {}", "#/paths: nothing stands at / or below it; there are none"),
        (f"openapi: 3.0.3\npaths: {IN_ITSELF}\n", "it is nested too deeply"),
        (
            f"openapi: 3.0.3\nx-0: &a0 [1, 2]\n{ALIASES}paths: {{}}\n",
            "it has more than 2,000,000 parts, aliases counted as what they stand for",
        ),
        (with_it({"type": "strin"}), f"{IT}/type: strin is no type"),
        (with_it(5), f"{IT}: should be an object, not a number"),
        (with_it(ref("Nobody")), f"{IT}: #/components/schemas/Nobody names nothing"),
        (with_it({"$ref": f"{IT}/x-list/{'9' * 5000}", "x-list": [1]}), f"{IT}: {IT}/x-list/9999"),
        (with_it(ref("It")), f"{ANSWER}: {IT} leads back to itself"),
    ],
    ids=lambda each: each[:40],
)
def test_what_is_wrong_is_told_with_its_place(text: str, told: str) -> None:
    assert broken(text).startswith(told)
