"""The contract's own table of calls: how it is read, and that the sandbox has them all."""

import re

from portal_dev.openapi import read_document
from tests.portal_dev.openapi.small_schemas import shape
from tests.support.contract_calls import contract_calls
from tests.support.sandbox_schema import sandbox_schema
from tests.support.schema_values import misfits


def test_sandbox_has_every_call_of_the_contract() -> None:
    calls = contract_calls()
    assert len(calls) == 28
    assert {("POST", "/refresh"), ("DELETE", "/energy/clients/{id}"), ("GET", "/energy/meters/{id}")} <= calls
    document = read_document(sandbox_schema().read_text())
    described = {
        (method.upper(), re.sub(r"\{[^}]*\}", "{id}", path))
        for path, item in document.members("paths").items()
        for method in item.value
    }
    assert calls - described == set()


def test_answer_that_is_not_as_described_is_told() -> None:
    line = {"type": "object", "properties": {"amount": {"type": "string", "format": "decimal"}}}
    fields = {
        "id": {"type": "string"},
        "at": {"type": ["string", "null"], "format": "date-time"},
        "kind": {"enum": ["a", "b"]},
        "lines": {"type": "array", "items": line},
    }
    described = shape({"required": ["id"], "properties": fields})
    right = {"id": "1", "at": "2026-03-09T10:00:00Z", "lines": [{"amount": "1.50"}], "kind": "a"}
    assert [*misfits(right, described), *misfits({"id": "1", "at": None}, described)] == []
    assert list(misfits({}, described)) == [".id: missing"]
    wrong = {"id": None, "more": 1, "kind": "c", "lines": [{"amount": 1.5}]}
    told = [".id: null", ".kind: 'c'", ".lines[0].amount: 1.5 is not decimal", ".more: not described"]
    assert sorted(misfits(wrong, described)) == told
