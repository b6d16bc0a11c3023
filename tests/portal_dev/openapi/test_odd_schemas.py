"""Names and addresses that no declaration can have are left out with a warning; what is odd beside them is declared."""

from __future__ import annotations

import importlib
import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from portal.query import REGISTRY, DeclaredMutation, Endpoint
from portal_dev.openapi import differences
from tests.portal_dev.openapi.small_schemas import TEXT, answers, document, page, query, ref, source, takes
from tests.support.harness import ROOT

ROW = {"type": "object", "properties": {"id": TEXT, "name": TEXT}}


def in_path(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "in": "path", "required": True, "schema": TEXT} for name in names]


def crud(path: str) -> dict[str, Any]:
    """The five calls of a resource of orders."""
    body = {**takes(ref("Order")), **answers(ref("Order"))}
    return {
        path: {"get": {**answers(page(ref("Order"))), "parameters": query("cursor", "limit")}, "post": body},
        f"{path}/{{id}}": {"get": answers(ref("Order")), "patch": body, "delete": answers(None, status="204")},
    }


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., tuple[list[str], list[str]]]]:
    """Writes declarations, imports them, and holds them against their schema: the calls, and the warnings."""
    queries, mutations, duplicates = dict(REGISTRY.queries), dict(REGISTRY.mutations), list(REGISTRY.duplicates)
    monkeypatch.syspath_prepend(str(tmp_path))

    def write_and_import(paths: dict[str, Any], **schemas: Any) -> tuple[list[str], list[str]]:
        (tmp_path / "schema.json").write_text(json.dumps(document(paths=paths, **schemas)))
        warnings = io.StringIO()
        call_command(
            "services_from_openapi",
            str(tmp_path / "schema.json"),
            output=tmp_path / "odd_services",
            stdout=io.StringIO(),
            stderr=warnings,
            no_color=True,
        )
        for file in sorted((tmp_path / "odd_services").rglob("*.py")):
            importlib.import_module(".".join(file.relative_to(tmp_path).with_suffix("").parts))
        declared: list[Endpoint[Any]] = [*REGISTRY.queries.values(), *REGISTRY.mutations.values()]
        hooks = [hook for hook in declared if hook.hook_name.startswith("odd_services.")]
        # A schema without search and sorting has less, and differs in nothing.
        found = differences((tmp_path / "schema.json").read_text(), hooks)
        assert [each for each in found if not each.is_absent] == []
        assert REGISTRY.duplicates == duplicates
        return sorted(map(_call, hooks)), warnings.getvalue().splitlines()

    yield write_and_import
    REGISTRY.queries, REGISTRY.mutations, REGISTRY.duplicates = queries, mutations, duplicates
    for name in [name for name in sys.modules if name.partition(".")[0] == "odd_services"]:
        del sys.modules[name]


def _call(hook: Endpoint[Any]) -> str:
    return f"{hook.method if isinstance(hook, DeclaredMutation) else 'GET'} {hook.path_shape}"


def faults_of_the_linter(folder: Path) -> str:
    command = ["ruff", "check", "--config", str(ROOT / "pyproject.toml"), "--no-cache", "--quiet", "--ignore", "INP001"]
    done = subprocess.run(
        [sys.executable, "-m", *command, str(folder)], capture_output=True, text=True, check=False, cwd=ROOT
    )
    return done.stdout + done.stderr


Import = Callable[..., tuple[list[str], list[str]]]


def test_a_write_to_a_whole_list_is_none_to_one_row_and_resources_with_the_same_rows_are_two(imported: Import) -> None:
    paths = crud("/orders") | crud("/orders/archived")
    whole = {**takes(ref("Order")), **answers(ref("Order"))}
    paths["/orders"] |= {"put": whole, "patch": whole, "delete": answers(None, status="204")}
    calls, warnings = imported(paths, Order=ROW)
    assert len(calls) == 5 + 3 + 5
    assert {"PUT /orders", "PATCH /orders", "DELETE /orders", "PATCH /orders/{id}"} <= set(calls)
    assert warnings == []


def test_of_two_parameters_with_one_name_the_first_is_sent(imported: Import) -> None:
    calls, warnings = imported(
        {
            "/a/{id}": {"get": {**answers(TEXT), "parameters": [*in_path("id"), *query("id")]}},
            "/b/{id}": {"get": {**answers(TEXT), "parameters": [*in_path("id"), *query("id", required=True)]}},
            "/c/{x}/{x}": {"get": answers(TEXT)},
            "/d/{a.b}/{a-b}": {"get": answers(TEXT)},
        }
    )
    assert calls == ["GET /a/{id}"]
    assert warnings == [
        "`GET /a/{id}`: without the parameter id, a name that another parameter has",
        "`GET /b/{id}`: the parameter id is a name that another parameter has",
        "`GET /c/{x}/{x}`: the parameter x is a name that another parameter has",
        "`GET /d/{a.b}/{a-b}`: the parameter a-b is a name that another parameter has",
    ]


def test_a_part_of_a_lists_path_has_no_name_that_all_lists_have(imported: Import) -> None:
    orders = {**answers(page(ref("Order"))), "parameters": [*in_path("q"), *query("cursor", "limit")]}
    calls, warnings = imported({"/a/{q}": {"get": orders}, "/sure": {"get": answers(TEXT)}}, Order=ROW)
    assert calls == ["GET /sure"]
    told = "the parameter q is a name that the parameters of lists have for something else"
    assert warnings[-1] == f"`GET /a/{{q}}`: {told}"


def test_fields_and_parameters_with_names_that_no_class_can_have(imported: Import) -> None:
    names = {'a"b': 'a"b', "a\\b": "a\\b", "a\nb": "'a\\nb'"}
    calls, warnings = imported(
        {"/a": {"get": {**answers(ref("Odd")), "parameters": query(*names)}}},
        Odd={"type": "object", "properties": {"id": TEXT, **dict.fromkeys([*names, ""], TEXT)}},
    )
    assert calls == ["GET /a"]
    assert warnings == [
        *(
            f"`GET /a`: without the parameter {name}, a name that no class of parameters can have"
            for name in names.values()
        ),
        *(f"`Odd`: without the field {name}, a name that no record can have" for name in (*names.values(), "''")),
    ]


def test_what_is_no_path_is_left_out(imported: Import) -> None:
    plain, braces = "the url of a hook is a path alone", "a parameter of its path should be a name in braces"
    odd = {
        **dict.fromkeys(("//a", "/a/../b", "/a/.", "/a?b=1", "/a#b"), plain),
        **dict.fromkeys(("/a/{b", "/a/b}", "/a/{{b}}"), braces),
    }
    calls, warnings = imported({path: {"get": answers(TEXT)} for path in ("/sure", *odd)})
    assert calls == ["GET /sure"]
    assert sorted(warnings) == sorted(f"`GET {path}`: {told}" for path, told in odd.items())


ODD_TEXTS = [
    *("x" * 500, "https://example.com/" + "x" * 200, '"', '"""', "\\", "\\" * 200, "this", '"Cash" or "card".'),
    *("Don\u2019t know", "10\u201320", "\U0001d4b3", "日本", "a\x00\r\u2028b", "a\nb"),
]


def test_any_text_is_a_description_and_a_value_of_an_enumeration(imported: Import, tmp_path: Path) -> None:
    states = {
        f"{name}{number}": {"type": "string", **more}
        for number, text in enumerate(ODD_TEXTS)
        for name, more in (("state", {"enum": ["open", text]}), ("text", {"description": text}))
    }
    row = {"type": "object", "description": ODD_TEXTS[-1], "properties": {"id": TEXT, "t" * 150: TEXT, **states}}
    imported({"/a/{id}": {"get": {**answers(ref("Order")), "description": ODD_TEXTS[-1]}}}, Order=row)
    module = sys.modules["odd_services.a"]
    values = [list(getattr(module, f"OrderState{number}")) for number in range(len(ODD_TEXTS))]
    assert values == [["open", text] for text in ODD_TEXTS]
    assert faults_of_the_linter(tmp_path) == ""


def test_what_queries_do_not_send_is_warned_of_but_for_the_headers_of_each_call(imported: Import) -> None:
    names = [("header", "X-Trace", False), ("cookie", "theme", False), ("header", "Authorization", True)]
    given = [{"name": name, "in": place, "required": required, "schema": TEXT} for place, name, required in names]
    body = takes({"type": "object", "properties": {"q": TEXT}})
    needed = {"requestBody": {**body["requestBody"], "required": True}}
    calls, warnings = imported(
        {"/a": {"get": {**answers(TEXT), "parameters": given, **body}}, "/b": {"get": {**answers(TEXT), **needed}}}
    )
    assert calls == ["GET /a"]
    assert warnings == [
        "`GET /a`: without its body, which queries do not send",
        "`GET /a`: without the header X-Trace, which hooks do not send",
        "`GET /a`: without the cookie theme, which hooks do not send",
        "`GET /b`: a query sends no body",
    ]


def test_what_answers_any_status_answers_success(imported: Import) -> None:
    calls, _ = imported(
        {
            "/a": {"post": {**takes(ref("Order")), **answers(ref("Order"), status="default")}},
            "/b": {"get": answers(ref("Order"), status="default")},
        },
        Order=ROW,
    )
    assert calls == ["GET /b", "POST /a"]
    error = answers(ref("Order"), status="default")["responses"]
    moved = {"responses": {"302": {"description": ""}, **error}}
    done = {"responses": {"204": {"description": ""}, **error}}
    written = source({"/a/b": {"post": done}, "/a/c": {"post": moved}}, Order=ROW)
    assert "data=" not in written


def test_names_of_any_length_are_lines_that_the_linter_takes(imported: Import, tmp_path: Path) -> None:
    state = {"type": "string", "enum": ["open", f"token_{'x' * 120}"]}
    row = {"type": "object", "properties": {"id": TEXT, "state": state}}
    name = "shield-information-barrier-segment-members"
    calls, _ = imported(crud(f"/{name}") | crud(f"/{name}/{{id}}/{name}-of-{name}"), Order=row)
    assert len(calls) >= 5
    assert faults_of_the_linter(tmp_path) == ""
