"""How invoices and their figures are shown."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from portal.testing import Backend, SignedIn

INVOICES = "/finance/invoices"
SUMMARY: dict[str, Any] = {
    "currency": "EUR",
    "total": 2,
    "byStatus": [
        {"status": "paid", "count": 1, "amount": "1000.50"},
        {"status": "sent", "count": 1, "amount": "20.00"},
    ],
    "byMonth": [{"month": "2026-01", "invoiced": "1020.50", "paid": "1000.50"}],
}


@pytest.fixture
def finance_user(signed_in: SignedIn) -> Client:
    return signed_in("FINANCE_APP")


def figures(page: str) -> dict[str, str]:
    """The overview's tiles: label to value."""
    tile = r'<span class="figure-name">(.*?)</span>.*?<span class="figure-value">(.*?)</span>'
    return dict(re.findall(tile, page, flags=re.DOTALL))


def test_an_invoice_shows_its_lines_with_exact_amounts(backend: Backend, finance_user: Client) -> None:
    line = {"description": "DC", "quantity": 30, "unitPrice": "0.79", "amount": "23.70", "vatRate": "19"}
    row = {"id": "inv_1", "number": "INV-1", "amount": "23.70", "currency": "EUR", "status": "overdue"}
    row |= {"netAmount": "19.92", "vatAmount": "3.78"}
    backend.answers("GET", f"{INVOICES}/inv_1", json={**row, "lines": [line, "odd", None]})
    page = finance_user.get("/en/finance/invoices/inv_1").content.decode()
    assert '<a class="badge bad" href="/en/finance/invoices?status=overdue"' in page
    assert re.findall(r'<td class="number"[^>]*>(.*?)</td>', page) == [
        *("30", "€0.79", "19%", "€23.70"),
        *("€19.92", "€3.78", "€23.70"),
    ]


def test_net_tax_and_total_are_the_backends_own_also_where_no_sum_would_give_them(
    backend: Backend, finance_user: Client
) -> None:
    line = {"description": "DC", "quantity": 1, "unitPrice": "0.55", "amount": "0.55", "vatRate": "10"}
    row = {"id": "inv_1", "netAmount": "1.11", "vatAmount": "2.22", "amount": "4.44", "currency": "EUR"}
    backend.answers("GET", f"{INVOICES}/inv_1", json={**row, "lines": [line]})
    page = finance_user.get("/en/finance/invoices/inv_1").content.decode()
    assert re.findall(r'<td class="number"[^>]*>(.*?)</td>', page)[-3:] == ["€1.11", "€2.22", "€4.44"]


def test_an_invoice_with_nothing_but_an_id_can_be_shown(backend: Backend, finance_user: Client) -> None:
    backend.lists(INVOICES, [{"id": "inv_1"}])
    page = finance_user.get("/en/finance/invoices/inv_1").content.decode()
    assert ">inv_1</h1>" in page
    assert "<table" not in page


def test_an_amount_without_a_currency_is_a_number_alone(backend: Backend, finance_user: Client) -> None:
    backend.lists(INVOICES, [{"id": "inv_1", "amount": "5"}, {"id": "inv_2", "amount": "6", "currency": ""}])
    page = finance_user.get("/en/finance/invoices").content.decode()
    assert ">5.00<" in page
    assert ">6.00<" in page
    assert "€" not in page


@pytest.mark.usefixtures("counted_lists")
def test_the_overview_shows_amounts_in_the_summary_s_currency(backend: Backend, finance_user: Client) -> None:
    backend.answers("GET", "/finance/summary", json=SUMMARY)
    page = finance_user.get("/de/finance").content.decode()
    shown = figures(page)
    assert (shown["Rechnungen"], shown["Bezahlt"], shown["Ausstehend"]) == (
        "2",
        "1.001\N{NO-BREAK SPACE}€",
        "20\N{NO-BREAK SPACE}€",
    )
    assert "1.021\N{NO-BREAK SPACE}€" in page


@pytest.mark.usefixtures("counted_lists")
@pytest.mark.parametrize("summary", [None, {}])
def test_without_a_summary_only_the_list_s_total_is_shown(
    backend: Backend, finance_user: Client, summary: dict[str, Any] | None
) -> None:
    backend.lists(INVOICES, [{"id": f"inv_{number}"} for number in range(5)])
    if summary is None:
        backend.refuses("GET", "/finance/summary", status=404)
    else:
        backend.answers("GET", "/finance/summary", json=summary)
    page = finance_user.get("/en/finance").content.decode()
    assert figures(page)["Invoices"] == "5"
    assert "Paid" not in figures(page)
    assert "<figure>" not in page
