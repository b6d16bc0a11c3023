"""The contract's own table of calls: how it is read, and that the sandbox has them all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from portal_dev.openapi import read_document
from tests.portal_dev.openapi.small_schemas import shape
from tests.support.contract_calls import contract_calls
from tests.support.sandbox_schema import sandbox_schema
from tests.support.schema_values import misfits


def test_the_table_is_read_whole() -> None:
    calls = contract_calls()
    assert {
        ("POST", "/refresh"),
        ("GET", "/me"),
        ("DELETE", "/energy/clients/{id}"),
        ("GET", "/energy/meters/{id}"),
    } <= calls
    assert len(calls) == 28


def test_the_sandbox_has_every_call_of_the_contract(tmp_path: Path) -> None:
    document = read_document(sandbox_schema(tmp_path).read_text())
    described = {
        (method.upper(), re.sub(r"\{[^}]*\}", "{id}", path))
        for path, item in document.members("paths").items()
        for method in item.value
    }
    assert contract_calls() - described == set()


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"id": "1", "at": "2026-03-09T10:00:00Z", "lines": [{"amount": "1.50"}], "kind": "a"}, []),
        ({}, [".id: missing"]),
        ({"id": None}, [".id: null"]),
        ({"id": "1", "more": 1}, [".more: not described"]),
        ({"id": "1", "at": None}, []),
        ({"id": "1", "kind": "c"}, [".kind: 'c'"]),
        ({"id": "1", "lines": [{"amount": 1.5}]}, [".lines[0].amount: 1.5 is not decimal"]),
    ],
)
def test_an_answer_that_is_not_as_described_is_told(value: object, found: list[str]) -> None:
    line = {"type": "object", "properties": {"amount": {"type": "string", "format": "decimal"}}}
    fields = {
        "id": {"type": "string"},
        "at": {"type": ["string", "null"], "format": "date-time"},
        "kind": {"enum": ["a", "b"]},
        "lines": {"type": "array", "items": line},
    }
    assert list(misfits(value, shape({"required": ["id"], "properties": fields}))) == found
