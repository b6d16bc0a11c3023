"""What a schema becomes: resources and hooks, their names, parameters, bodies and effects, and what is left out."""

from __future__ import annotations

import json
import sys
from copy import copy
from types import ModuleType
from typing import Any

import pytest

from portal.query import REGISTRY
from portal_dev.openapi import declarations
from tests.portal_dev.openapi.small_schemas import TEXT, answers, document, page, query, ref, source, takes

PAYMENT = {
    "type": "object",
    "description": "A payment. It is made once.\n\nMore is not said.",
    "properties": {
        "id": TEXT,
        "createdAt": {"type": "string", "format": "date-time"},
        "amount": {"type": "string", "format": "decimal"},
        "method": {"enum": ["card", "transfer"]},
        "lines": {"items": {"type": "object", "properties": {"text": TEXT}}},
    },
}
BODY = {"type": "object", "properties": {"amount": {"type": "string", "format": "decimal"}}}
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
    return " ".join(text.split())


def test_a_resource_is_what_a_person_would_write() -> None:
    assert (
        source(RESOURCE, Payment=PAYMENT)
        == '''\
"""Payments."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from portal.query import ListParams, MutationGroup, OpenEnum, QueryGroup, Record, Row, resource


class PaymentMethod(OpenEnum):
    """A payment method."""

    CARD = "card"
    TRANSFER = "transfer"


class PaymentLine(Record):
    """A payment line."""

    text: str = ""


class Payment(Row):
    """A payment."""

    amount: Decimal | None = None
    method: PaymentMethod | None = None
    lines: tuple[PaymentLine, ...] = ()


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


def test_a_row_without_a_time_of_creation_says_that_its_list_is_not_newest_first() -> None:
    row = {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "amount": {"type": "string", "format": "decimal"}},
    }
    assert "newest_first_by=None" in source(RESOURCE, Payment=row)


def test_the_update_is_patch_or_else_put_or_else_post() -> None:
    update = {**takes(BODY), **answers(ref("Payment"))}
    for methods, declared in (
        ({"put": update}, "use_update_payment_mutation = _payments.replace"),
        ({"put": update, "patch": update}, "use_replace_payment_mutation = _payments.replace"),
        ({"patch": update, "post": update}, "use_update_payment_with_post_mutation = ( mutation_endpoint("),
        ({"post": update}, ".set_answer(query_key=PaymentQueries.use_get_payment_query)"),
    ):
        text = lines(source({**RESOURCE, ROW: {"get": answers(ref("Payment")), **methods}}, Payment=PAYMENT))
        assert declared in text


def test_fields_that_differ_in_their_spelling_alone_stay_two_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    other = {"type": "string", "format": "date-time"}
    row = {"type": "object", "properties": {**PAYMENT["properties"], "created_at": other, "CreatedAt": other}}
    detail = {"type": "object", "properties": {**row["properties"], "Method": TEXT, "method_": TEXT}}
    paths = {"/finance/payments": {"get": answers(page(ref("Payment")))}, ROW: {"get": answers(ref("PaymentDetail"))}}
    for name in ("queries", "mutations", "duplicates"):
        monkeypatch.setattr(REGISTRY, name, copy(getattr(REGISTRY, name)))
    module: Any = ModuleType("written")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(source(paths, Payment=row, PaymentDetail=detail), vars(module))
    assert module.PaymentDetail.__base__ is module.Payment
    on_the_wire = module.PaymentDetail.__struct_encode_fields__
    assert {"createdAt", "created_at", "CreatedAt", "method", "Method", "method_"} <= set(on_the_wire)


def test_what_is_done_to_a_row_shows_or_makes_stale_what_shows_the_row() -> None:
    below = {
        f"{ROW}/approve": {"post": {**takes({"properties": {"note": TEXT}}), **answers(ref("Payment"))}},
        f"{ROW}/remind": {"post": answers(None)},
        f"{ROW}/notes": {
            "get": answers({"items": TEXT}),
            "post": {**takes({"properties": {"text": TEXT}}), **answers(None)},
        },
    }
    text = lines(source({**RESOURCE, **below}, Payment=PAYMENT))
    for declared in (
        """use_approve_payment_mutation = ( mutation_endpoint( data=Payment, body=Partial[ApprovePaymentReq],
        params=RowParams, url="/finance/payments/{id}/approve", method="POST", )
        .merge_updated_in_paginated_list(list_query_key=PaymentQueries.use_get_payments_query)
        .set_answer(query_key=PaymentQueries.use_get_payment_query) )""",
        """use_remind_payment_mutation = (
        mutation_endpoint(params=RowParams, url="/finance/payments/{id}/remind", method="POST")
        .invalidates(query_key=PaymentQueries.use_get_payments_query)
        .invalidates(query_key=PaymentQueries.use_get_payment_query) )""",
    ):
        assert lines(declared) in text
    for hook in ("use_get_notes_query", "use_get_payments_query", "use_get_payment_query"):
        assert f".invalidates(query_key=PaymentQueries.{hook})" in text.partition("use_create_note_mutation = ")[2]


@pytest.mark.parametrize(
    ("path", "call", "declared"),
    [
        ("/me", {"get": answers(ref("Thing"))}, 'use_get_me_query = query_endpoint(data=Thing, url="/me")'),
        (
            "/things",
            {"get": answers({"items": ref("Thing")})},
            "use_get_things_query = query_endpoint(data=tuple[Thing, ...]",
        ),
        ("/limits", {"get": answers({"additionalProperties": {"type": "integer"}})}, "data=dict[str, int]"),
        ("/meta", {"get": answers(True)}, 'query_endpoint(data=object, url="/meta")'),
        ("/auth/login", {"post": {**takes(ref("Thing")), **answers(None)}}, "use_login_mutation = mutation_endpoint("),
        (
            "/reset",
            {"post": answers(None)},
            'use_reset_mutation = mutation_endpoint(url="/reset", method="POST").changes_nothing()',
        ),
        ("/tags", {"put": {**takes({"items": TEXT}), **answers(None)}}, "body=tuple[str, ...]"),
        (
            "/x/{id}/receipt",
            {"get": answers(ref("Thing"))},
            'use_get_x_receipt_query = query_endpoint(data=Thing, params=RowParams, url="/x/{id}/receipt")',
        ),
        ("/x/{id}/lock", {"delete": answers(None)}, "use_delete_x_lock_mutation = mutation_endpoint("),
        ("/", {"get": answers(ref("Thing"))}, 'use_get_root_query = query_endpoint(data=Thing, url="/")'),
        ("/a/{b}...{c}", {"get": answers(ref("Thing"))}, 'url="/a/{b}...{c}"'),
        ("/things/", {"get": answers(page(ref("Thing")))}, 'unique_by="name", url="/things/"'),
        ("/v1/things", {"get": answers(page({"properties": {"a": TEXT}}))}, "unique_by=False"),
    ],
)
def test_what_is_no_resource_is_declared_by_itself(path: str, call: dict[str, Any], declared: str) -> None:
    thing = {"type": "object", "properties": {"name": TEXT, "size": {"type": "integer"}}}
    text = lines(source({path: call}, Thing=thing)).replace("( ", "(").replace(" )", ")")
    arguments = declared.replace('unique_by="name", url="/things/"', 'url="/things/", unique_by="name"')
    assert arguments in text


def test_parameters_of_a_path_item_are_those_of_its_calls_and_one_with_a_taken_name_gets_another_keyword() -> None:
    shared = [*query("view", required=True), {"name": "X-Trace", "in": "header", "schema": TEXT}]
    own = [*query("view", schema={"type": "boolean"}), *query("cursor", "pages", "params", "limit")]
    text = source(
        {"/x/{id}/y": {"parameters": shared, "get": {"parameters": own, **answers(ref("Y"))}}},
        Y={"properties": {"a": TEXT}},
    )
    assert "    id: str\n    view: bool | None = None\n" in text
    assert "trace" not in text
    for keyword in ("cursor_", "pages_", "params_", "limit"):
        assert f"    {keyword}: str | None = None\n" in text


@pytest.mark.parametrize(
    ("path", "method", "call", "reason"),
    [
        ("/a", "get", {"deprecated": True, **answers(TEXT)}, "it is deprecated"),
        ("/a", "get", answers(None, status="204"), "its answer is nothing that a hook reads"),
        ("/a?x=1", "get", answers(TEXT), "the url of a hook is a path alone"),
        ("/a", "get", answers(TEXT, "application/problem+json"), "its answer: it is application/problem+json, no JSON"),
        (
            "/a",
            "post",
            {**takes(TEXT, media_type="multipart/form-data"), **answers(None)},
            "its body: it is multipart/form-data, no JSON",
        ),
        (
            "/a",
            "get",
            {"parameters": query("ids", schema={"items": TEXT}, required=True), **answers(TEXT)},
            "the parameter ids is an array (each a text), which hooks do not send",
        ),
        (
            "/a",
            "get",
            {"parameters": query("ids", schema={"items": TEXT}), **answers(TEXT)},
            "without the parameter ids, an array (each a text), which hooks do not send",
        ),
    ],
)
def test_what_cannot_be_declared_is_told_with_the_reason(
    path: str, method: str, call: dict[str, Any], reason: str
) -> None:
    [module] = declarations(json.dumps(document(paths={path: {method: call}})))
    assert module.left_out == [f"`{method.upper()} {path}`: {reason}"]
    assert bool(module.hooks) == reason.startswith("without")


def test_modules_stand_in_folders_of_their_domains_and_share_classes_there() -> None:
    status = {"type": "string", "enum": ["open", "done"]}
    order = {"type": "object", "properties": {"id": TEXT, "status": ref("OrderStatus")}}
    paths = {
        "/api/v2/shop/orders": {"get": answers(page(ref("Order")))},
        "/api/v2/shop/summary": {"get": answers({"properties": {"byStatus": {"items": ref("OrderStatus")}}})},
        "/api/v2/stock": {"get": answers({"properties": {"status": ref("OrderStatus")}})},
        # The session's own call.
        "/refresh": {"post": answers(None)},
    }
    modules = declarations(json.dumps(document(paths=paths, Order=order, OrderStatus=status)), package="services")
    assert [module.path for module in modules] == ["shop/orders.py", "shop/summary.py", "stock.py"]
    orders, summary, stock = modules
    assert [each.name for each in orders.classes] == ["OrderStatus", "Order"]
    assert summary.imported == {"services.shop.orders": {"OrderStatus"}}
    assert [each.name for each in stock.classes] == ["StockOrderStatus", "Stock"]
