"""How invoices and their figures are shown."""

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


def test_invoice_shows_lines_and_given_sums(backend: Backend, finance_user: Client) -> None:
    line = {"description": "DC", "quantity": 30, "unitPrice": "0.79", "amount": "23.70", "vatRate": "19"}
    row = {"id": "inv_1", "number": "INV-1", "amount": "4.44", "currency": "EUR", "status": "overdue"}
    row |= {"netAmount": "1.11", "vatAmount": "2.22"}
    backend.answers("GET", f"{INVOICES}/inv_1", json={**row, "lines": [line, "odd", None]})
    page = text_of(finance_user, PAGE)
    assert '<span class="badge bad">Overdue</span>' in page
    numbers = ["30", "€0.79", "19%", "€23.70", "€1.11", "€2.22", "€4.44"]
    assert re.findall(r'<td class="number"[^>]*>(.*?)</td>', page) == numbers


def test_bare_invoice_can_be_shown(backend: Backend, finance_user: Client) -> None:
    backend.lists(INVOICES, [{"id": "inv_1"}, {"id": "inv_2", "amount": "5"}])
    page = text_of(finance_user, PAGE)
    assert (">inv_1</h1>" in page, "<table" in page) == (True, False)
    page = text_of(finance_user, "/en/finance/invoices")
    assert (">5.00<" in page, "€" in page) == (True, False)


@pytest.mark.usefixtures("counted_lists")
def test_the_overview_shows_amounts_in_the_summary_s_currency(backend: Backend, finance_user: Client) -> None:
    amounts = [{"status": status, "count": 1, "amount": each} for status, each in (("paid", "1000.50"), ("sent", "20"))]
    months = [{"month": "2026-01", "invoiced": "1020.50", "paid": "1000.50"}]
    summary = {"currency": "EUR", "total": 2, "byStatus": amounts, "byMonth": months}
    backend.answers("GET", SUMMARY, json=summary)
    page = text_of(finance_user, "/de/finance")
    shown = figures(page)
    assert (shown["Rechnungen"], shown["Bezahlt"], shown["Ausstehend"]) == ("2", "1.001 €", "20 €")
    assert "1.021 €" in page


@pytest.mark.usefixtures("counted_lists")
@pytest.mark.parametrize("summary", [None, {}])
def test_total_without_a_summary(backend: Backend, finance_user: Client, summary: dict[str, Any] | None) -> None:
    backend.lists(INVOICES, [{"id": f"inv_{number}"} for number in range(5)])
    backend.answers("GET", SUMMARY, json=summary)
    if summary is None:
        backend.refuses("GET", SUMMARY, status=404)
    page = text_of(finance_user, "/en/finance")
    assert (figures(page)["Invoices"], "Paid" in figures(page), "<figure>" in page) == ("5", False, False)


OVERDUE = {"id": "inv_1", "number": "INV-1", "clientName": "Ada & Co", "status": "overdue", "version": 3}
OVERDUE |= {"reminderCount": 2, "remindedAt": "2026-11-03T10:00:00Z"}


def offered(backend: Backend, browser: Client, **fields: Any) -> set[str]:
    """The ends of the addresses of what can be done with an invoice."""
    backend.answers("GET", f"{INVOICES}/inv_1", json=OVERDUE | fields)
    page = browser.get(PAGE, headers={"cache-control": "no-cache"}).content.decode()
    return set(re.findall(rf'action="{PAGE}/(\w+)"', page))


def test_what_can_be_done_follows_from_the_state(backend: Backend, finance_user: Client) -> None:
    owed, closed = {"pay", "remind", "cancel"}, {"reopen"}
    wanted = {"overdue": owed, "sent": owed, "draft": {"cancel"}, "paid": closed, "cancelled": closed, "new": set()}
    assert {status: offered(backend, finance_user, status=status) for status in wanted} == wanted


def test_an_invoice_is_marked_as_paid_and_that_can_be_undone(backend: Backend, finance_user: Client) -> None:
    offered(backend, finance_user)
    paid = OVERDUE | {"status": "paid", "paidAt": "2026-11-27T10:00:00Z", "version": 4}
    for method in ("PATCH", "GET"):
        backend.answers(method, f"{INVOICES}/inv_1", json=paid)
    finance_user.post(f"{PAGE}/pay", {"rowVersion": "3", "shown-status": "overdue"})
    [write] = backend.calls_to(f"{INVOICES}/inv_1", method="PATCH")
    assert (write.body, write.headers["if-match"]) == ({"status": "paid"}, '"3"')
    page = text_of(finance_user, PAGE)
    assert ("INV-1 is paid." in page, f'action="{PAGE}/undo"' in page) == (True, True)


def test_reminder_names_its_recipient_and_has_no_undo(backend: Backend, finance_user: Client) -> None:
    offered(backend, finance_user)
    page = text_of(finance_user, PAGE)
    assert "2 times, last on" in page
    assert "Ada &amp; Co is asked once more to pay INV-1." in page
    backend.answers("POST", f"{INVOICES}/inv_1/reminders", json=OVERDUE | {"reminderCount": 3}, status=201)
    finance_user.post(f"{PAGE}/remind", {"rowVersion": "3"})
    page = text_of(finance_user, PAGE)
    assert ("Ada &amp; Co was reminded of INV-1." in page, f"{PAGE}/undo" in page) == (True, False)
    assert "3 times, last on" in page
