from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from sandbox_api.energy.models import Client
from sandbox_api.finance.models import Invoice
from sandbox_api.finance.summary import summarise_finance

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
LINE = {"description": "AC charging, kWh", "quantity": 2.5, "unitPrice": "0.49", "vatRate": "19.00", "amount": "1.23"}


@pytest.fixture
def finance(sign_in):
    return sign_in("FINANCE_APP")


def make_invoice(number="INV-1", amount="1.23", **fields):
    client = Client.objects.create(name="Łukasz Öz", email="l@example.com")
    values = {"status": "sent", "issued_at": NOW, "due_at": NOW, "lines": [LINE]}
    values |= {"net_amount": Decimal("1.03"), "vat_amount": Decimal("0.20")}
    return Invoice.objects.create(
        **{**values, **fields}, number=number, client=client, client_name=client.name, amount=Decimal(amount)
    )


def test_an_invoice_has_its_lines_and_amounts_in_strings_and_outlives_its_client(finance):
    invoice = make_invoice()
    path = f"/finance/invoices/{invoice.id}"
    row = finance.get(path).json()
    assert row == finance.get("/finance/invoices").json()["items"][0]
    assert row == {
        "id": invoice.id,
        "number": "INV-1",
        "clientId": invoice.client_id,
        "clientName": "Łukasz Öz",
        "amount": "1.23",
        "netAmount": "1.03",
        "vatAmount": "0.20",
        "currency": "EUR",
        "status": "sent",
        "issuedAt": "2026-03-15T12:00:00Z",
        "dueAt": "2026-03-15T12:00:00Z",
        "paidAt": None,
        "lines": [LINE],
        "createdAt": row["createdAt"],
    }
    invoice.client.delete()
    assert finance.get(path).json() == row | {"clientId": None}


def test_invoices_are_found_and_sorted(finance):
    make_invoice("INV-1", "10.00")
    make_invoice("INV-2", "9.50", status="paid", paid_at=NOW)
    assert finance.get("/finance/invoices?q=lukasz+inv-1").json()["total"] == 1
    assert finance.get("/finance/invoices?status=paid").json()["total"] == 1
    amounts = [row["amount"] for row in finance.get("/finance/invoices?sort=amount").json()["items"]]
    assert amounts == ["9.50", "10.00"]


@pytest.mark.django_db
def test_the_summary_adds_up():
    make_invoice("1", "10.10", issued_at=datetime(2026, 2, 1, tzinfo=UTC), status="paid", paid_at=NOW)
    make_invoice("2", "0.20")
    make_invoice("3", "5.00", status="draft")
    summary = summarise_finance(now=NOW)
    assert summary["total"] == 3
    assert summary["byStatus"][:3] == [
        {"status": "draft", "count": 1, "amount": "5.00"},
        {"status": "sent", "count": 1, "amount": "0.20"},
        {"status": "paid", "count": 1, "amount": "10.10"},
    ]
    assert summary["byMonth"][-2:] == [
        {"month": "2026-02", "invoiced": "10.10", "paid": "0.00"},
        {"month": "2026-03", "invoiced": "0.20", "paid": "10.10"},
    ]


@pytest.mark.django_db
def test_what_is_overdue_has_an_age_and_is_part_of_what_is_outstanding():
    for number, days in enumerate((1, 30, 31, 61, 91)):
        due_at = NOW - timedelta(days=days)
        make_invoice(str(number), "10.00", status="overdue", due_at=due_at, issued_at=due_at - timedelta(days=30))
    make_invoice("sent", "0.50", due_at=NOW + timedelta(days=20), issued_at=NOW - timedelta(hours=1))
    make_invoice("paid", "7.00", status="paid", paid_at=NOW - timedelta(days=31), issued_at=NOW - timedelta(days=100))
    summary = summarise_finance(now=NOW)
    assert summary["outstanding"] == {"count": 6, "amount": "50.50"}
    assert [(age["count"], age["amount"]) for age in summary["overdueByAge"]] == [
        (2, "20.00"),
        (1, "10.00"),
        (1, "10.00"),
        (1, "10.00"),
    ]
    assert summary["current"] == {"invoiced": "0.50", "paid": "0.00"}
    assert summary["before"] == {"invoiced": "10.00", "paid": "7.00"}
