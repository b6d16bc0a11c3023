"""Every difference between a declaration and the schema is told, with its hook, its file and its line."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from portal.query import ListParams, QueryGroup, Row, paginated_query_endpoint, query_endpoint
from portal_dev.openapi import differences
from tests.portal_dev.openapi import declared_calls as declared
from tests.portal_dev.openapi.small_schemas import TEXT, answers, document, page, query, ref, takes

DECIMAL = {"type": "string", "format": "decimal"}
TIME = {"type": "string", "format": "date-time"}
LINE = {"type": "object", "properties": {"text": TEXT, "parent": ref("Line")}}
PAYMENT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "payer": {"type": ["string", "null"]},
        "amount": DECIMAL,
        "method": {"enum": ["card", "transfer"]},
        "kind": {"enum": ["a", "c"]},
        "receivedAt": TIME,
        "lines": {"items": ref("Line")},
        "more": TEXT,
    },
}
NEW: dict[str, Any] = {
    "type": "object",
    "required": ["payer", "id"],
    "properties": {"payer": TEXT, "amount": DECIMAL, "id": {"readOnly": True}},
}
APPROVE = {"type": "object", "required": ["note"], "properties": {"note": TEXT}}
PATHS = {
    "/payments": {
        "get": {"parameters": query("cursor", "limit", "q", "sort", "clientId"), **answers(page(ref("Payment")))},
        "post": {**takes(NEW), **answers(ref("Payment"))},
    },
    "/payments/{payment_id}": {
        "get": answers(ref("Payment")),
        "patch": {**takes(NEW), **answers(ref("Payment"))},
        "delete": answers({"properties": {"deleted": {"type": "boolean"}}}),
    },
    "/payments/{payment_id}/approve": {"post": {**takes(APPROVE), **answers(ref("Payment"))}},
    "/summary": {
        "get": answers(
            {"properties": {"total": {"type": "integer"}, "byMethod": {"properties": {"card": {"type": "integer"}}}}}
        )
    },
    "/file": {
        "get": answers(TEXT, media_type="text/csv"),
        "post": {**takes(TEXT, media_type="text/csv"), **answers(None)},
    },
    "/search": {"get": {"parameters": query("text", required=True), **answers(ref("Line"))}},
    "/reset": {"post": answers(None)},
}
SCHEMA = json.dumps(document(paths=PATHS, Payment=PAYMENT, Line=LINE))


def told(hook: Any) -> list[str]:
    """Return the differences of one hook."""
    return [each.message for each in differences(SCHEMA, [hook])]


def test_right_declarations_have_no_difference() -> None:
    assert differences(SCHEMA, declared.RIGHT) == []


@pytest.mark.parametrize(
    ("hook", "messages"),
    [
        (
            declared.WrongQueries.use_get_fields_query,
            {
                "WrongPayment.payer: it is never None here, and may be null in the schema",
                "WrongPayment.amount: it is integer here, and decimal in the schema",
                "WrongMethod: only one of both has cheque, transfer",
                "WrongPayment.kind: only one of both has b, c",
                "WrongPayment.recievedAt: the schema has no field recievedAt; did you mean 'receivedAt'?",
                "WrongPayment.lines: it is text here, and Line in the schema",
            },
        ),
        (
            declared.WrongQueries.use_get_params_query,
            {
                "WrongListParams.clientid: the schema has no parameter clientid; did you mean 'clientId'?",
                "WrongListParams.limitTo: the schema has no parameter limitTo; did you mean 'limit'?",
            },
        ),
        (
            declared.WrongQueries.use_get_list_query,
            {
                "ListParams.cursor: the schema has no parameter cursor",
                "ListParams.limit: the schema has no parameter limit",
                "ListParams.q: the schema has no parameter q",
                "ListParams.sort: the schema has no parameter sort",
                "the schema's answer is no page of a list",
            },
        ),
        (declared.WrongQueries.use_get_path_query, {"the schema has no GET /paiments"}),
        (declared.WrongQueries.use_get_file_query, {"the answer: it is text here, and file in the schema"}),
        (
            declared.WrongQueries.use_get_required_query,
            {"the schema needs the parameter text, which calls may leave out"},
        ),
        (
            declared.WrongMutations.use_body_mutation,
            {
                "WrongReq.note: it is integer here, and text in the schema",
                "WrongReq.reason: the schema has no field reason",
            },
        ),
        (declared.WrongMutations.use_no_body_mutation, {"the body is in the schema alone"}),
        (declared.WrongMutations.use_lacks_mutation, {"LacksReq: the schema needs the field payer"}),
        (declared.WrongMutations.use_no_data_mutation, {"the answer is in the schema alone"}),
        (declared.WrongMutations.use_data_mutation, {"the answer is in the declaration alone"}),
    ],
    ids=lambda each: each.name if hasattr(each, "name") else "",
)
def test_wrong_declaration_is_told(hook: Any, messages: set[str]) -> None:
    assert set(told(hook)) == messages


def test_difference_names_hook_file_and_line() -> None:
    [found] = differences(SCHEMA, [declared.WrongQueries.use_get_path_query])
    file, number, *_ = str(found).split(":")
    assert file == "tests/portal_dev/openapi/declared_calls.py"
    assert "use_get_path_query" in Path(declared.__file__).read_text().splitlines()[int(number) - 1]
    assert str(found) == f"{file}:{number}: wrong.get_path: {found.message}"


def changed(paths: dict[str, Any] | None = None, **schemas: Any) -> list[str]:
    """Return the differences of the right declarations from a schema with other paths and schemas."""
    schema = json.loads(SCHEMA)
    for path, calls in (paths or {}).items():
        schema["paths"][path] |= calls
    schema["components"]["schemas"] |= schemas
    return [each.message for each in differences(json.dumps(schema), declared.RIGHT)]


def test_newly_needed_parameter_is_a_difference() -> None:
    needed = query("cursor", "limit", "q", "sort", "clientId", required=True)
    assert changed({"/payments": {"get": {"parameters": needed, **answers(page(ref("Payment")))}}}) == [
        f"the schema needs the parameter {name}, which calls may leave out" for name in ("clientId", "q", "sort")
    ]


def test_changed_field_is_told_once() -> None:
    fields = PAYMENT["properties"]
    assert changed(Payment={"properties": {**fields, "method": {"enum": ["card", "transfer", "giro"]}}}) == [
        "Method: only one of both has giro"
    ]


def test_enveloped_answer_is_a_difference() -> None:
    call = answers({"properties": {"data": ref("Payment")}})
    assert changed({"/payments/{payment_id}": {"get": call}}) == [
        "Payment: the schema has none of its fields, but data"
    ]


def test_missing_field_is_absent_and_misspelt_one_differs() -> None:
    class Seen(Row):
        payer: str | None = None
        colour: str = ""
        amuont: Decimal | None = None

    class SeenListParams(ListParams):
        colour: str | None = None

    class SeenQueries(QueryGroup, domain="seen", registry=declared.OWN):
        use_get_seen_query = paginated_query_endpoint(item=Seen, params=SeenListParams, url="/payments")
        use_get_state_query = query_endpoint(data=Seen, url="/state", optional=True)
        use_get_needed_query = query_endpoint(data=Seen, url="/needed")

    hooks = [SeenQueries.use_get_seen_query, SeenQueries.use_get_state_query, SeenQueries.use_get_needed_query]
    found = {each.message: each.is_absent for each in differences(SCHEMA, hooks)}
    assert found == {
        "SeenListParams.colour: the schema has no parameter colour": False,
        "Seen.colour: the schema has no field colour. Pages show it as missing.": True,
        "Seen.amuont: the schema has no field amuont; did you mean 'amount'?": False,
        "the schema has no GET /state. It is shown where APP_BACKEND_OFFERS has it.": True,
        "the schema has no GET /needed": False,
    }
    assert any(": seen.get_state: absent: the schema has" in str(each) for each in differences(SCHEMA, hooks))
