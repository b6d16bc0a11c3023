from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from sandbox_api.energy.models import Client
from sandbox_api.finance.models import Invoice
from sandbox_api.finance.summary import summarise_finance

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
LINE = {"description": "AC charging, kWh", "quantity": 2.5, "unitPrice": "0.49", "vatRate": "19.00", "amount": "1.23"}


def make_invoice(number="INV-1", amount="1.23", **fields):
    client = Client.objects.create(name="Łukasz Öz", email="l@example.com")
    values = {"status": "sent", "issued_at": NOW, "due_at": NOW, "lines": [LINE]}
    values |= {"net_amount": Decimal("1.03"), "vat_amount": Decimal("0.20")}
    return Invoice.objects.create(
        **{**values, **fields}, number=number, client=client, client_name=client.name, amount=Decimal(amount)
    )


@pytest.mark.django_db
def test_what_is_overdue_has_an_age_and_is_part_of_what_is_outstanding():
    for number, days in enumerate((1, 30, 31, 61, 91)):
        due_at = NOW - timedelta(days=days)
        make_invoice(str(number), "10.00", status="overdue", due_at=due_at, issued_at=due_at - timedelta(days=30))
    make_invoice("sent", "0.50", due_at=NOW + timedelta(days=20), issued_at=NOW - timedelta(hours=1))
    make_invoice("paid", "7.00", status="paid", paid_at=NOW - timedelta(days=31), issued_at=NOW - timedelta(days=100))
    summary = summarise_finance(now=NOW)
    assert [each["count"] for each in summary["byStatus"][:4]] == [0, 1, 1, 5]
    assert summary["outstanding"] == {"count": 6, "amount": "50.50"}
    assert [(age["count"], age["amount"]) for age in summary["overdueByAge"]] == [
        (2, "20.00"),
        (1, "10.00"),
        (1, "10.00"),
        (1, "10.00"),
    ]
    assert summary["current"] == {"invoiced": "0.50", "paid": "0.00"}
    assert summary["before"] == {"invoiced": "10.00", "paid": "7.00"}
