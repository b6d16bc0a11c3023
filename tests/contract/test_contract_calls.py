"""The contract's own table of calls: how it is read, and that the sandbox has them all."""

import re

from portal_dev.openapi import read_document
from portal_dev.openapi.document import Node
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
    fields = {"id": {"type": "string", "nullable": True}, "amount": {"type": "string", "format": "decimal"}}
    row = {"type": "object", "required": ["id"], "properties": fields}
    described = Node({"components": {"schemas": {"Row": row}}}, {"$ref": "#/components/schemas/Row"})
    assert misfits({"id": None, "amount": "1.50"}, described) == []
    assert sorted(misfits({"amount": "x", "more": 1, "id": "1"}, described)) == [
        "$.amount: 'x' is not a 'decimal'",
        "$: Additional properties are not allowed ('more' was unexpected)",
    ]
    assert misfits({}, described) == ["$: 'id' is a required property"]
