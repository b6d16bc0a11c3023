"""Invoices: the presenters."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.utils import translation

from apps.finance.presenters.invoices import present_invoice
from apps.finance.presenters.overview import present_overview


def test_an_invoice_shows_its_lines_with_exact_amounts() -> None:
    invoice = present_invoice(
        {
            "id": "inv_1",
            "number": "INV-1",
            "amount": "23.70",
            "currency": "EUR",
            "status": "overdue",
            "lines": [{"description": "DC", "quantity": 30, "unitPrice": "0.79", "amount": "23.70"}, "odd", None],
        }
    )
    assert invoice.amount == Decimal("23.70")
    assert invoice.status.tone == "bad"
    assert [(line.description, line.quantity, line.unit_price) for line in invoice.lines] == [
        ("DC", 30.0, Decimal("0.79"))
    ]


def test_a_record_with_nothing_but_an_id_can_be_shown() -> None:
    invoice = present_invoice({"id": "inv_1"})
    assert (invoice.number, invoice.amount, invoice.currency, invoice.lines) == ("inv_1", None, "EUR", ())


def test_the_overview_shows_amounts_in_the_summarys_currency() -> None:
    summary: dict[str, Any] = {
        "currency": "EUR",
        "total": 2,
        "byStatus": [
            {"status": "paid", "count": 1, "amount": "1000.50"},
            {"status": "sent", "count": 1, "amount": "20.00"},
        ],
        "byMonth": [{"month": "2026-01", "invoiced": "1020.50", "paid": "1000.50"}],
    }
    with translation.override("de"):
        shown = present_overview(summary, total=None)
    assert [tile.value for tile in shown.tiles] == ["2", "1.001\N{NO-BREAK SPACE}€", "20\N{NO-BREAK SPACE}€"]
    assert shown.invoiced is not None
    assert shown.invoiced.bars[0].value == "1.021\N{NO-BREAK SPACE}€"


def test_without_a_summary_only_the_lists_total_is_shown() -> None:
    shown = present_overview({}, total=540)
    assert [tile.value for tile in shown.tiles] == ["540"]
    assert (shown.invoiced, shown.paid, shown.by_status) == (None, None, None)
