"""A schema becomes resources and hooks: their names, parameters, bodies and effects; the rest is left out and told."""

import json
from typing import Any

import pytest

from portal_dev.openapi import declarations
from tests.portal_dev.openapi.small_schemas import TEXT, answers, document, page, query, ref, source, takes

PAYMENT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": TEXT,
        "createdAt": {"type": "string", "format": "date-time"},
        "amount": {"type": "string", "format": "decimal"},
        "method": {"enum": ["card", "transfer"]},
        "lines": {"items": {"type": "object", "properties": {"text": TEXT, "class": TEXT}}},
        "either": {"oneOf": [TEXT, {"type": "object", "properties": {"a": TEXT}}]},
    },
}
BODY: dict[str, Any] = {"type": "object", "properties": {"amount": {"type": "string", "format": "decimal"}}}
ROW = "/finance/payments/{payment_id}"
RESOURCE = {
    "/finance/payments": {
        "get": {
            "parameters": [
                *query("cursor", "limit", "q"),
                *query("sort", schema={"enum": ["amount", "-amount"]}),
                *query("clientId"),
            ],
            **answers(page(ref("Payment"))),
        },
        "post": {**takes(BODY), **answers(ref("Payment"), status="201")},
    },
    ROW: {
        "get": answers(ref("Payment")),
        "patch": {**takes(BODY), **answers(ref("Payment"))},
        "delete": answers(None, status="204"),
    },
}


def lines(text: str) -> str:
    """The source without what ruff put on lines of their own."""
    return " ".join(text.split()).replace("( ", "(").replace(", )", ")").replace(" )", ")")


def test_resource_is_written_with_its_classes() -> None:
    assert (
        source(RESOURCE, Payment=PAYMENT)
        == '''\
"""Payments."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal

from portal.query import ListParams, MutationGroup, OpenEnum, QueryGroup, Record, Row, resource


class PaymentMethod(OpenEnum):
    """Payment method."""

    CARD = "card"
    TRANSFER = "transfer"


class PaymentLine(Record):
    """Payment line."""

    text: str = ""
    class_: str = ""


class Payment(Row):
    """Payment."""

    amount: Decimal | None = None
    method: PaymentMethod | None = None
    lines: tuple[PaymentLine, ...] = ()
    # Any JSON: it is text or object.
    either: Any = None


class PaymentsListParams(ListParams):
    """Payments list params."""

    sort: Literal["amount", "-amount"] | None = None
    client_id: str | None = None


_payments = resource("/finance/payments", item=Payment, params=PaymentsListParams, filter_fields={"clientId": None})


class PaymentQueries(QueryGroup):
    """The queries of payments."""

    use_get_payments_query = _payments.list
    use_get_payment_query = _payments.detail


class PaymentMutations(MutationGroup):
    """The mutations of payments."""

    use_create_payment_mutation = _payments.create
    use_update_payment_mutation = _payments.update
    use_delete_payment_mutation = _payments.delete
'''
    )


def test_body_beside_the_row_is_declared_by_itself() -> None:
    other = {"put": {**takes({"properties": {"amount": TEXT}}), **answers(ref("Payment"))}}
    text = lines(source({**RESOURCE, ROW: {"get": answers(ref("Payment")), **other}}, Payment=PAYMENT))
    assert "_payments.replace" not in text
    assert f"`PUT {ROW}`: no page: its body has fields that the row lacks, or has otherwise: amount" in text
    assert 'params=RowParams, url="/finance/payments/{id}", method="PUT"' in text


def test_other_name_on_the_wire_is_said() -> None:
    paths = {"/x": {"get": answers(page(ref("X")))}, "/x/{id}": {"get": answers(ref("XDetail"))}}
    row = {"id": TEXT, "created_at": {"type": "string", "format": "date-time"}, "file_name": TEXT, "fileName": TEXT}
    text = source(paths, X={"properties": row}, XDetail={"properties": {**row, "no_more": TEXT}})
    assert '    created_at: datetime | None = field(default=None, name="created_at")\n' in text
    assert '    file_name: str = field(default="", name="file_name")\n' in text
    assert '    file_name2: str = field(default="", name="fileName")\n' in text
    assert "    q: None = None\n    sort: None = None\n" in text.partition("class XListParams(ListParams):")[2]
    assert '_x = resource("/x", item=X, detail=XDetail, params=XListParams, newest_first_by=None)' in text


def test_write_makes_stale_what_is_read_on_its_way() -> None:
    below = {
        f"{ROW}/approve": {"post": {**takes({"properties": {"note": TEXT}}), **answers(ref("Payment"))}},
        f"{ROW}/notes": {"post": {**takes(TEXT), **answers(None)}, "get": answers({"items": TEXT})},
    }
    text = lines(source({**RESOURCE, **below}, Payment=PAYMENT))
    approve, notes = text.partition("use_approve_mutation = ")[2].split("use_notes_mutation = ")
    assert approve.startswith(
        "(mutation_endpoint(data=Payment, body=Partial[ApproveReq], params=RowParams,"
        ' url="/finance/payments/{id}/approve", method="POST")'
        " .invalidates(query_key=PaymentQueries.use_get_payments_query)"
        " .invalidates(query_key=PaymentQueries.use_get_payment_query)) "
    )
    assert "use_get_notes_query" not in approve
    assert ".invalidates(query_key=PaymentQueries.use_get_notes_query)" in notes


@pytest.mark.parametrize(
    ("path", "call", "declared"),
    [
        ("/me", {"get": answers(ref("Thing"))}, 'use_get_me_query = query_endpoint(data=Thing, url="/me")'),
        ("/things", {"get": answers({"items": ref("Thing")})}, "query_endpoint(data=tuple[Thing, ...]"),
        ("/reset", {"post": answers(None)}, 'mutation_endpoint(url="/reset", method="POST").changes_nothing()'),
        ("/tags", {"put": {**takes({"items": TEXT}), **answers(None)}}, "body=tuple[str, ...]"),
        ("/x/{id}/receipt", {"get": answers(ref("Thing"))}, 'params=RowParams, url="/x/{id}/receipt"'),
        ("/b", {"get": answers(ref("Thing"), status="default")}, "data=Thing"),
    ],
)
def test_other_call_is_declared_by_itself(path: str, call: dict[str, Any], declared: str) -> None:
    thing = {"type": "object", "properties": {"name": TEXT, "size": {"type": "integer"}}}
    assert declared in lines(source({path: call}, Thing=thing))


def test_parameter_is_required_or_optional_and_has_a_free_keyword() -> None:
    shared = [*query("view", required=True), {"name": "X-Trace", "in": "header", "schema": TEXT}]
    own = [*query("view", schema={"type": "boolean"}), *query("cursor", "params", "limit", "made_from", "to_no")]
    call = {"parameters": shared, "get": {"parameters": own, **answers(ref("Y"))}}
    text = source({"/x/{id}/y": call}, Y={"properties": {"a": TEXT}})
    assert "    id: str\n    view: bool | None = None\n" in text
    assert '    made_from: str | None = field(default=None, name="made_from")\n' in text
    assert "Not declared" not in text
    assert '    cursor2: str | None = field(default=None, name="cursor")\n' in text


@pytest.mark.parametrize(
    ("path", "method", "call", "reason"),
    [
        ("/a", "get", answers(None, status="204"), "its answer is nothing that a hook reads"),
        *(
            (path, "get", answers(TEXT), "its path is none that a hook has")
            for path in ("/a?x=1", "/a/../b", "/c/{x}/{x}")
        ),
        ("/a", "get", answers(TEXT, "application/problem+json"), "its body or answer: it is application/problem+json"),
        ("/a", "post", takes(TEXT, media_type="text/csv"), "its body or answer: it is text/csv, no JSON"),
        ("/a/{q}", "get", answers(page(ref("It"))), "hooks do not send the parameter q"),
        *(
            ("/a", "get", {"parameters": [each], **answers(TEXT)}, f"hooks do not send the parameter {each['name']}")
            for each in (
                *query("ids", schema={"items": TEXT}),
                *query('a"b'),
                *query("needed", schema={"items": TEXT}, required=True),
                {"name": "X-Trace", "in": "header", "required": True, "schema": TEXT},
            )
        ),
    ],
)
def test_left_out_is_told(path: str, method: str, call: dict[str, Any], reason: str) -> None:
    schema = document(paths={path: {method: {"responses": {}} | call}}, It={"properties": {"id": TEXT}})
    [module] = declarations(json.dumps(schema))
    assert len(module.left_out) == 1
    assert module.left_out[0].startswith(f"`{method.upper()} {path}`: {reason}")
    assert any(module.hooks.values()) == reason.endswith((" ids", ' a"b', " X-Trace"))


def test_calls_stand_in_modules_by_their_paths() -> None:
    order = {"type": "object", "properties": {"id": TEXT}}
    paths = {
        "/api/v2/shop/orders": {"get": answers(page(ref("Order")))},
        "/api/v2/shop/summary": {"get": answers({"properties": {"orders": {"items": ref("Order")}}})},
        "/api/v2/stock": {"get": answers({"properties": {"total": {"type": "integer"}}})},
        "/auth/login": {"post": answers(None)},
        # The session's own call.
        "/refresh": {"post": answers(None)},
    }
    schema = json.dumps(document(paths=paths, Order=order))
    modules = declarations(schema, package="services")
    assert [module.path for module in modules] == [
        "shop/orders.py",
        "shop/summary.py",
        "stock/stock.py",
        "auth/login.py",
    ]
    declared = [each.name for module in modules for each in module.declared.values()]
    assert declared == ["Order", "SummaryRes", "Order", "StockRes"]
