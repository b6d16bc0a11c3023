"""The pages that are written from a schema: labels, choices, limits and columns are the schema's, and can be shown."""

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
            ],
            **answers(page(ref("Payment"))),
        },
        "post": {**takes(ref("Payment")), **answers(ref("Payment"), status="201")},
    },
    "/finance/payments/{id}": {"get": answers(ref("Payment")), "delete": answers(None, status="204")},
}


def test_form_and_columns_are_those_of_the_schema() -> None:
    [module] = declarations(json.dumps(document(paths=PATHS, Payment=PAYMENT)))
    assert (
        view_source(module)
        == '''\
"""Payments: the pages."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from portal.services.finance.payments import Payment, PaymentMethod, PaymentMutations, PaymentQueries
from portal_pages import BackendForm, Column, CreateView, Filter, ListView, resource_pages

METHOD_WORDS = {
    PaymentMethod.BANK_TRANSFER: _("Bank transfer"),
    PaymentMethod.CARD: _("Card"),
}
COLUMNS = {
    "client_name": Column(_("Client name")),
    "invoice_id": Column(_("Invoice id")),
    "method": Column(_("Method"), words=METHOD_WORDS),
    "email": Column(_("Email")),
    "amount": Column(_("Amount"), sort="-amount", kind="number"),
    "currency": Column(_("Currency")),
    "received_at": Column(_("Received at")),
}


class PaymentForm(BackendForm[Payment]):
    """The form of payments."""

    class Meta:
        fields = {
            "client_name": COLUMNS["client_name"],
            "invoice_id": COLUMNS["invoice_id"],
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
        filters=(Filter("method", _("Method"), choices=METHOD_WORDS),),
    ),
    create=CreateView(mutation=PaymentMutations.use_create_payment_mutation, form=PaymentForm, title=_("New payment")),
    detail=PaymentQueries.use_get_payment_query,
    delete=PaymentMutations.use_delete_payment_mutation,
)
'''
    )


def test_page_is_of_what_the_calls_declare() -> None:
    [parameter] = query("method", schema={"type": "array", "items": PAYMENT["properties"]["method"]})
    listed = {"parameters": [parameter], **answers(page(ref("PaymentPublic")))}
    posted = {
        **takes({"properties": {"amount": TEXT | {"format": "decimal"}, "secret": TEXT}}),
        **answers(ref("PaymentPublic")),
    }
    paths = {"/payments": {"get": listed, "post": posted}, "/payments/{id}": {"get": answers(ref("PaymentPublic"))}}
    [module] = declarations(json.dumps(document(paths=paths, PaymentPublic=PAYMENT)))
    text = view_source(module)
    assert ("filters=" in text, "create=" in text) == (False, False)
    assert "# `POST /payments`: no page: its body has fields that the row lacks, or has otherwise: secret\n" in text
    assert "hook=PaymentQueries.use_get_payments_query" in text
    assert "PaymentMethod.CARD" in text, "the row's class is no PaymentPublic"


def sources(file: Path, path: str, **options: Any) -> str:
    told = {"stdout": io.StringIO(), "stderr": io.StringIO()}
    call_command("services_from_openapi", str(sandbox_schema()), path=path, forms=file, **told, **options)
    return file.read_text()


@pytest.mark.parametrize(("path", "pages"), [("/energy/clients", 7), ("/energy/chargers", 3), ("/finance/invoices", 5)])
def test_pages_of_a_list_can_be_declared(tmp_path: Path, path: str, pages: int) -> None:
    names: dict[str, Any] = {}
    exec(compile(sources(tmp_path / "views.py", path), "views.py", "exec"), names)
    [found] = [each for name, each in names.items() if name.endswith("_pages") and isinstance(each, list)]
    assert [type(each) for each in found] == [URLPattern] * pages
    forms = [form for name, form in names.items() if name.endswith("Form") and name != "BackendForm"]
    assert all(issubclass(form.row_class, Row) for form in forms)


def test_pages_import_the_file_of_the_calls(tmp_path: Path) -> None:
    service = tmp_path / "shop" / "bills.py"
    service.parent.mkdir()
    (service.parent / "__init__.py").write_text("")
    text = sources(tmp_path / "views.py", "/finance/invoices", output=service)
    assert "from shop.bills import BillMutations, BillQueries, Invoice, InvoiceStatus\n" in text


def test_several_modules_and_no_list_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"--forms is for one of energy/.*: choose it by --path"):
        sources(tmp_path / "views.py", "/energy")
    with pytest.raises(CommandError, match=r"me/me.py: there is no list of rows"):
        sources(tmp_path / "views.py", "/me")
