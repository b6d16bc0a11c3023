"""The pages of the finance app: its overview, its invoices."""

from __future__ import annotations

import pytest
from django.test import Client

from portal.testing import Backend, SignedIn, row_ids

INVOICES = "/finance/invoices"
INVOICE = {
    "id": "inv_1",
    "number": "INV-1",
    "clientName": "<b>Ada</b>",
    "amount": "23.70",
    "currency": "EUR",
    "status": "overdue",
    "dueAt": "2026-03-01T00:00:00Z",
    "lines": [{"description": "DC", "quantity": 30, "unitPrice": "0.79", "amount": "23.70"}],
}


@pytest.fixture
def finance_user(signed_in: SignedIn) -> Client:
    return signed_in("FINANCE_APP")


def test_the_list_shows_each_invoice_and_leads_to_it(backend: Backend, finance_user: Client) -> None:
    backend.lists(INVOICES, [INVOICE, {"id": "inv_2"}])
    response = finance_user.get("/en/finance/invoices?sort=-amount")
    body = response.content.decode()
    assert row_ids(response) == ["inv_1", "inv_2"]
    assert 'href="/en/finance/invoices/inv_1"' in body
    assert "&lt;b&gt;Ada&lt;/b&gt;" in body
    assert backend.calls_to(INVOICES)[0].query == {"sort": "-amount", "limit": "20"}


@pytest.mark.parametrize(("locale", "status", "amount"), [("en", "Overdue", "€23.70"), ("de", "Überfällig", "23,70")])
def test_an_invoice_speaks_the_language_of_its_address(
    backend: Backend, finance_user: Client, locale: str, status: str, amount: str
) -> None:
    backend.lists(INVOICES, [INVOICE])
    body = finance_user.get(f"/{locale}/finance/invoices/inv_1").content.decode()
    assert status in body
    assert amount in body


def test_an_invoice_that_is_not_there_leads_back_to_the_list(backend: Backend, finance_user: Client) -> None:
    backend.lists(INVOICES, [])
    response = finance_user.get("/en/finance/invoices/inv_9")
    assert response.status_code == 404
    assert 'href="/en/finance/invoices"' in response.content.decode()


@pytest.mark.usefixtures("counted_lists")
def test_a_backend_without_a_summary_still_has_an_overview(backend: Backend, finance_user: Client) -> None:
    backend.refuses("GET", "/finance/summary", status=404)
    backend.lists(INVOICES, [{"id": f"inv_{number}"} for number in range(54)])
    response = finance_user.get("/en/finance")
    assert response.status_code == 200
    assert ">54<" in response.content.decode()
    assert "<time data-as-of datetime=" in response.content.decode()


def test_whoever_may_open_another_platform_alone_is_led_to_its_home(signed_in: SignedIn) -> None:
    response = signed_in("ENERGY_APP").get("/en/finance/invoices")
    assert (response.status_code, response["Location"]) == (302, "http://localhost:8000/en/energy")
