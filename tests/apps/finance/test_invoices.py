"""How invoices and their figures are shown."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from portal.testing import Backend, SignedIn

INVOICES, SUMMARY = "/finance/invoices", "/finance/summary"
PAGE = "/en/finance/invoices/inv_1"


@pytest.fixture
def finance_user(signed_in: SignedIn) -> Client:
    return signed_in("FINANCE_APP")


def text_of(browser: Client, path: str) -> str:
    return browser.get(path).content.decode().replace("\N{NO-BREAK SPACE}", " ")


def figures(page: str) -> dict[str, str]:
    """The overview's tiles: label to value."""
    tile = r'<span class="figure-name">(.*?)</span>.*?<span class="figure-value">(.*?)</span>'
    return dict(re.findall(tile, page, flags=re.DOTALL))


def test_an_invoice_shows_its_lines_and_the_backends_own_sums_also_where_no_sum_would_give_them(
    backend: Backend, finance_user: Client
) -> None:
    line = {"description": "DC", "quantity": 30, "unitPrice": "0.79", "amount": "23.70", "vatRate": "19"}
    row = {"id": "inv_1", "number": "INV-1", "amount": "4.44", "currency": "EUR", "status": "overdue"}
    row |= {"netAmount": "1.11", "vatAmount": "2.22"}
    backend.answers("GET", f"{INVOICES}/inv_1", json={**row, "lines": [line, "odd", None]})
    page = text_of(finance_user, PAGE)
    assert '<span class="badge bad">Overdue</span>' in page
    numbers = ["30", "€0.79", "19%", "€23.70", "€1.11", "€2.22", "€4.44"]
    assert re.findall(r'<td class="number"[^>]*>(.*?)</td>', page) == numbers


def test_an_invoice_with_nothing_but_an_id_or_without_a_currency_can_be_shown(
    backend: Backend, finance_user: Client
) -> None:
    backend.lists(
        INVOICES, [{"id": "inv_1"}, {"id": "inv_2", "amount": "5"}, {"id": "inv_3", "amount": "6", "currency": ""}]
    )
    page = text_of(finance_user, PAGE)
    assert (">inv_1</h1>" in page, "<table" in page) == (True, False)
    page = text_of(finance_user, "/en/finance/invoices")
    assert (">5.00<" in page, ">6.00<" in page, "€" in page) == (True, True, False)


@pytest.mark.usefixtures("counted_lists")
def test_the_overview_shows_amounts_in_the_summary_s_currency(backend: Backend, finance_user: Client) -> None:
    paid, sent = (
        {"status": status, "count": 1, "amount": amount} for status, amount in (("paid", "1000.50"), ("sent", "20"))
    )
    months = [{"month": "2026-01", "invoiced": "1020.50", "paid": "1000.50"}]
    summary = {"currency": "EUR", "total": 2, "byStatus": [paid, sent], "byMonth": months}
    backend.answers("GET", SUMMARY, json=summary)
    page = text_of(finance_user, "/de/finance")
    shown = figures(page)
    assert (shown["Rechnungen"], shown["Bezahlt"], shown["Ausstehend"]) == ("2", "1.001 €", "20 €")
    assert "1.021 €" in page


@pytest.mark.usefixtures("counted_lists")
@pytest.mark.parametrize("summary", [None, {}])
def test_without_a_summary_only_the_list_s_total_is_shown(
    backend: Backend, finance_user: Client, summary: dict[str, Any] | None
) -> None:
    backend.lists(INVOICES, [{"id": f"inv_{number}"} for number in range(5)])
    backend.answers("GET", SUMMARY, json=summary)
    if summary is None:
        backend.refuses("GET", SUMMARY, status=404)
    page = text_of(finance_user, "/en/finance")
    assert (figures(page)["Invoices"], "Paid" in figures(page), "<figure>" in page) == ("5", False, False)
