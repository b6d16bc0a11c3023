"""A schema becomes resources and hooks: their names, parameters, bodies and effects; the rest is left out and told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from portal_dev.openapi import declarations
from tests.portal_dev.openapi.small_schemas import TEXT, answers, document, page, query, ref, source, takes

PAYMENT: dict[str, Any] = {
    "type": "object",
    "description": 'A "payment" of <b>money</b>. It is made once.\n\nMore is not said.',
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


def test_resource_is_written_as_a_person_would() -> None:
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
    """A "payment" of money."""

    amount: Decimal | None = None
    method: PaymentMethod | None = None
    lines: tuple[PaymentLine, ...] = ()
    # Any JSON: it is text or object.
    either: Any = None


class PaymentsListParams(ListParams):
    """Which payments."""

    sort: Literal["amount", "-amount"] | None = None
    client_id: str | None = None


_payments = resource("/finance/payments", item=Payment, params=PaymentsListParams, filter_fields={"clientId": None})


class PaymentQueries(QueryGroup):
    """`use_get_payments_query` and `use_get_payment_query`."""

    use_get_payments_query = _payments.list
    use_get_payment_query = _payments.detail


class PaymentMutations(MutationGroup):
    """`use_create_payment_mutation`, `use_update_payment_mutation` and `use_delete_payment_mutation`."""

    use_create_payment_mutation = _payments.create
    use_update_payment_mutation = _payments.update
    use_delete_payment_mutation = _payments.delete
'''
    )


def test_update_is_patch_or_else_put_or_else_post() -> None:
    update = {**takes(BODY), **answers(ref("Payment"))}
    for methods, declared in (
        ({"put": update}, "use_update_payment_mutation = _payments.replace"),
        ({"put": update, "patch": update}, "use_replace_payment_mutation = _payments.replace"),
    ):
        text = lines(source({**RESOURCE, ROW: {"get": answers(ref("Payment")), **methods}}, Payment=PAYMENT))
        assert declared in text


def test_snake_case_is_said_once_for_a_class() -> None:
    paths = {"/x": {"get": answers(page(ref("X")))}, "/x/{id}": {"get": answers(ref("XDetail"))}}
    row = {"id": TEXT, "created_at": {"type": "string", "format": "date-time"}, "file_name": TEXT, "fileName": TEXT}
    text = source(paths, X={"properties": row}, XDetail={"properties": {**row, "no_more": TEXT}})
    assert 'class X(Row, rename="lower"):' in text
    assert "    created_at: datetime | None = None\n" in text
    assert '    file_name_2: str = field(default="", name="fileName")\n' in text
    assert '_xes = resource("/x", item=X, detail=XDetail, newest_first_by=None)' in text


def test_write_makes_stale_what_is_read_on_its_way() -> None:
    below = {
        f"{ROW}/approve": {"post": {**takes({"properties": {"note": TEXT}}), **answers(ref("Payment"))}},
        f"{ROW}/notes": {"post": {**takes(TEXT), **answers(None)}, "get": answers({"items": TEXT})},
    }
    text = lines(source({**RESOURCE, **below}, Payment=PAYMENT))
    approve, note = text.partition("use_approve_payment_mutation = ")[2].split("use_create_note_mutation = ")
    assert approve.startswith(
        "(mutation_endpoint(data=Payment, body=Partial[ApprovePaymentReq], params=RowParams,"
        ' url="/finance/payments/{id}/approve", method="POST")'
        " .invalidates(query_key=PaymentQueries.use_get_payments_query)"
        " .invalidates(query_key=PaymentQueries.use_get_payment_query)) "
    )
    assert "use_get_payment_notes_query" not in approve
    assert ".invalidates(query_key=PaymentQueries.use_get_payment_notes_query)" in note


@pytest.mark.parametrize(
    ("path", "call", "declared"),
    [
        ("/me", {"get": answers(ref("Thing"))}, 'use_get_me_query = query_endpoint(data=Thing, url="/me")'),
        ("/things", {"get": answers({"items": ref("Thing")})}, "query_endpoint(data=tuple[Thing, ...]"),
        ("/reset", {"post": answers(None)}, 'mutation_endpoint(url="/reset", method="POST").changes_nothing()'),
        ("/tags", {"put": {**takes({"items": TEXT}), **answers(None)}}, "body=tuple[str, ...]"),
        ("/x/{id}/receipt", {"get": answers(ref("Thing"))}, 'params=RowParams, url="/x/{id}/receipt"'),
        ("/x/{id}/lock", {"delete": answers(None)}, "use_delete_x_lock_mutation = mutation_endpoint("),
        ("/b", {"get": answers(ref("Thing"), status="default")}, "data=Thing"),
    ],
)
def test_other_call_is_declared_by_itself(path: str, call: dict[str, Any], declared: str) -> None:
    thing = {"type": "object", "properties": {"name": TEXT, "size": {"type": "integer"}}}
    assert declared in lines(source({path: call}, Thing=thing))


def test_parameter_is_required_or_optional_and_has_a_free_keyword() -> None:
    shared = [*query("view", required=True), {"name": "X-Trace", "in": "header", "schema": TEXT}]
    own = [*query("view", schema={"type": "boolean"}), *query("cursor", "params", "limit")]
    call = {"parameters": shared, "get": {"parameters": own, **answers(ref("Y"))}}
    text = source({"/x/{id}/y": call}, Y={"properties": {"a": TEXT}})
    assert "    id: str\n    view: bool | None = None\n" in text
    assert "trace" not in text.partition("# Not declared")[0]
    for keyword in ("cursor_", "params_", "limit"):
        assert f"    {keyword}: str | None = None\n" in text


@pytest.mark.parametrize(
    ("path", "method", "call", "reason"),
    [
        ("/a", "get", {"deprecated": True, **answers(TEXT)}, "it is deprecated"),
        ("/a", "get", answers(None, status="204"), "its answer is nothing that a hook reads"),
        *(
            (path, "get", answers(TEXT), "its path is none that a hook has")
            for path in ("/a?x=1", "//a", "/a/../b", "/{b")
        ),
        ("/c/{x}/{x}", "get", answers(TEXT), "its path names a parameter twice"),
        ("/a", "get", answers(TEXT, "application/problem+json"), "its answer: it is application/problem+json, no JSON"),
        ("/a", "post", takes(TEXT, media_type="text/csv"), "its body: it is text/csv, no JSON"),
        *(
            (
                "/a",
                "get",
                {"parameters": query(name, schema=schema), **answers(TEXT)},
                f"without the parameter {reason}",
            )
            for name, schema, reason in (
                ("ids", {"items": TEXT}, "ids, list[text], which hooks do not send"),
                ('a"b', TEXT, 'a"b, a name that no class of parameters can have'),
            )
        ),
        (
            "/a",
            "get",
            {"parameters": query("ids", schema={"items": TEXT}, required=True), **answers(TEXT)},
            "the parameter ids is list[text], which hooks do not send",
        ),
        (
            "/a/{q}",
            "get",
            {"parameters": query("cursor"), **answers(page(ref("It")))},
            "the parameter q is a name that the parameters of lists have for something else",
        ),
        (
            "/a",
            "get",
            {"parameters": [{"name": "X-Trace", "in": "header", "schema": TEXT}], **answers(TEXT)},
            "without the header X-Trace, which hooks do not send",
        ),
    ],
)
def test_what_cannot_be_declared_is_told(path: str, method: str, call: dict[str, Any], reason: str) -> None:
    schema = document(paths={path: {method: {"responses": {}} | call}}, It={"properties": {"id": TEXT}})
    [module] = declarations(json.dumps(schema))
    assert len(module.left_out) == 1
    assert module.left_out[0].startswith(f"`{method.upper()} {path}`: {reason}")
    assert bool(module.hooks) == reason.startswith("without")


def test_modules_of_a_folder_share_classes() -> None:
    status = {"type": "string", "enum": ["open", "done"]}
    order = {"type": "object", "properties": {"id": TEXT, "status": ref("OrderStatus")}}
    paths = {
        "/api/v2/shop/orders": {"get": answers(page(ref("Order")))},
        "/api/v2/shop/summary": {"get": answers({"properties": {"byStatus": {"items": ref("OrderStatus")}}})},
        "/api/v2/stock": {"get": answers({"properties": {"status": ref("OrderStatus")}})},
        "/auth/login": {"post": answers(None)},
        "/auth/logout": {"post": answers(None)},
        # The session's own call.
        "/refresh": {"post": answers(None)},
    }
    modules = declarations(json.dumps(document(paths=paths, Order=order, OrderStatus=status)), package="services")
    assert [module.path for module in modules] == ["shop/orders.py", "shop/summary.py", "stock.py", "auth.py"]
    orders, summary, stock, _ = (each.classes for each in modules)
    assert [each.name for each in orders.declared] == ["OrderStatus", "Order"]
    assert summary.imported == {"services.shop.orders": {"OrderStatus"}}
    assert [each.name for each in stock.declared] == ["StockOrderStatus", "Stock"]
