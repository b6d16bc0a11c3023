"""The pages that are written from a schema: labels, choices, limits and columns are the schema's, and they can be shown."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import URLPattern

from portal.query import Row
from portal_dev.openapi import declarations, view_source
from tests.portal_dev.openapi.small_schemas import TEXT, answers, document, page, query, ref, takes
from tests.support.sandbox_schema import sandbox_schema

PAYMENT = {
    "required": ["id", "clientName", "amount"],
    "properties": {
        "id": TEXT,
        "clientName": TEXT | {"maxLength": 200},
        "invoiceId": TEXT,
        "method": {"enum": ["bank_transfer", "card"]},
        "email": {"anyOf": [{"type": "string", "format": "email", "maxLength": 254}, {"type": "null"}]},
        "amount": {"type": "string", "format": "decimal"},
        "currency": TEXT | {"readOnly": True},
        "receivedAt": {"type": "string", "format": "date-time"},
    },
}
PATHS = {
    "/finance/payments": {
        "get": {
            "parameters": [
                *query("cursor", "limit", "q"),
                *query("sort", schema={"enum": ["name", "-name", "createdAt", "-createdAt", "-amount", "amount"]}),
                *query("method", schema={"enum": ["bank_transfer", "card"]}),
                *query("receivedAtFrom", "receivedAtTo"),
            ],
            **answers(page(ref("Payment"))),
        },
        "post": {**takes(ref("Payment")), **answers(ref("Payment"), status="201")},
    },
    "/finance/payments/{id}": {"get": answers(ref("Payment")), "delete": answers(None, status="204")},
}


def test_the_form_and_the_columns_are_what_the_schema_says() -> None:
    [module] = declarations(json.dumps(document(paths=PATHS, Payment=PAYMENT)))
    assert (
        view_source(module)
        == '''\
"""Payments: list, create, detail, delete."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from portal.services.finance.payments import Payment, PaymentMethod, PaymentMutations, PaymentQueries
from portal_pages import BackendForm, Column, CreateView, DateRange, Filter, ListView, resource_pages

METHODS = {PaymentMethod.BANK_TRANSFER: _("Bank transfer"), PaymentMethod.CARD: _("Card")}
COLUMNS = {
    "client_name": Column(_("Client name"), sort="name"),
    "method": Column(_("Method"), words=METHODS),
    "email": Column(_("Email"), format="mailto"),
    "amount": Column(_("Amount"), sort="-amount", kind="number"),
    "received_at": Column(_("Received")),
}


class PaymentForm(BackendForm[Payment]):
    """Create a payment."""

    class Meta:
        fields = {
            "client_name": COLUMNS["client_name"],
            "invoice_id": _("Invoice"),
            "method": COLUMNS["method"],
            "email": COLUMNS["email"],
            "amount": COLUMNS["amount"],
            "received_at": COLUMNS["received_at"],
        }
        optional = ("invoice_id", "method", "email", "received_at")
        max_lengths = {"client_name": 200, "email": 254}


payment_pages = resource_pages(
    "finance/payments",
    name="payment",
    title=_("Payments"),
    list=ListView(
        hook=PaymentQueries.use_get_payments_query,
        columns=COLUMNS,
        filters=(Filter("method", _("Method"), choices=METHODS),),
        ranges=(DateRange("receivedAt", _("Received")),),
    ),
    create=CreateView(mutation=PaymentMutations.use_create_payment_mutation, form=PaymentForm, title=_("New payment")),
    detail=PaymentQueries.use_get_payment_query,
    delete=PaymentMutations.use_delete_payment_mutation,
)
'''
    )


def sources(schema: Path, tmp_path: Path, path: str) -> str:
    file = tmp_path / "views.py"
    call_command(
        "services_from_openapi", str(schema), path=path, forms=file, stdout=io.StringIO(), stderr=io.StringIO()
    )
    return file.read_text()


@pytest.fixture(scope="module")
def of_the_sandbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sandbox_schema(tmp_path_factory.mktemp("schema"))


@pytest.mark.parametrize(
    ("path", "pages"),
    [
        ("/energy/clients", 7),
        ("/energy/chargers", 3),
        ("/energy/sessions", 3),
        ("/finance/invoices", 5),
        ("/operations/work-orders", 6),
    ],
)
def test_what_is_written_for_a_list_of_the_sandbox_can_be_declared(
    of_the_sandbox: Path, tmp_path: Path, path: str, pages: int
) -> None:
    names: dict[str, Any] = {}
    exec(compile(sources(of_the_sandbox, tmp_path, path), "views.py", "exec"), names)
    [found] = [each for name, each in names.items() if name.endswith("_pages") and isinstance(each, list)]
    assert [type(each) for each in found] == [URLPattern] * pages
    for name, form in names.items():
        if name.endswith("Form") and name != "BackendForm":
            assert issubclass(form.row_class, Row)


def test_the_pages_import_the_calls_from_the_file_that_is_written_with_them(
    of_the_sandbox: Path, tmp_path: Path
) -> None:
    service, view = tmp_path / "shop" / "bills.py", tmp_path / "views.py"
    service.parent.mkdir()
    (service.parent / "__init__.py").write_text("")
    told = {"stdout": io.StringIO(), "stderr": io.StringIO()}
    call_command(
        "services_from_openapi", str(of_the_sandbox), path="/finance/invoices", output=service, forms=view, **told
    )
    names = "Invoice, InvoiceMutations, InvoiceQueries, InvoiceStatus"
    assert f"from shop.bills import {names}\n" in view.read_text()


def test_several_modules_or_no_list_are_told(of_the_sandbox: Path, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"--forms is for one of energy/.*: choose it by --path"):
        sources(of_the_sandbox, tmp_path, "/energy")
    with pytest.raises(CommandError, match=r"me.py: there is no list of rows"):
        sources(of_the_sandbox, tmp_path, "/me")


def test_a_hostile_schema_writes_no_code_of_its_own() -> None:
    bad = '"); import os; ("'
    row = {"properties": {"id": TEXT, bad: {"enum": [bad, "ü", ""]}, "tïtle": TEXT | {"maxLength": "9); x("}}}
    paths = {"/x": {"get": answers(page(ref("Row"))), "post": {**takes(ref("Row")), **answers(ref("Row"))}}}
    [module] = declarations(json.dumps(document(paths=paths, Row=row)))
    source = view_source(module)
    assert "import os" not in source.replace(repr(bad)[1:-1], "")
    compile(source, "views.py", "exec")
