from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

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


@pytest.fixture
def finance(sign_in):
    return sign_in("FINANCE_APP")


def test_paid_sets_the_time_which_may_be_given_and_leaving_it_clears_the_time(finance, problem):
    path = f"/finance/invoices/{make_invoice(due_at=timezone.now() + timedelta(days=3)).id}"
    paid = finance.patch(path, {"status": "paid"}, headers={"If-Match": '"1"'}).json()
    assert (paid["status"], bool(paid["paidAt"]), paid["version"]) == ("paid", True, 2)
    assert problem(finance.patch(path, {"status": "sent"}, headers={"If-Match": '"1"'}), 412)
    assert finance.patch(path, {"status": "cancelled"}).json()["paidAt"] is None
    then = "2026-02-03T04:05:06Z"
    row = finance.patch(path, {"paidAt": then}).json()
    assert (row["status"], row["paidAt"]) == ("paid", then)
    for wrong in ({"status": "lost"}, {"status": None}):
        assert problem(finance.patch(path, wrong), 422, "status")
    tomorrow = (timezone.now() + timedelta(days=1)).isoformat()
    assert problem(finance.patch(path, {"paidAt": tomorrow}), 422, "paidAt")


def test_whether_what_is_owed_is_overdue_follows_from_the_due_day(finance):
    late, early = (make_invoice(str(days), due_at=timezone.now() + timedelta(days=days)) for days in (-3, 3))
    for said in ("sent", "overdue"):
        for invoice, known in ((late, "overdue"), (early, "sent")):
            assert finance.patch(f"/finance/invoices/{invoice.id}", {"status": said}).json()["status"] == known


def test_a_reminder_is_counted_unless_nothing_is_owed(finance, problem):
    path = f"/finance/invoices/{make_invoice(status='overdue').id}"
    answers = [finance.post(f"{path}/reminders", headers={"Idempotency-Key": "k"}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    row = finance.post(f"{path}/reminders").json()
    assert (row["reminderCount"], row["version"]) == (2, 3)
    assert row["remindedAt"] > answers[0].json()["remindedAt"]
    assert finance.get(path).json() == row
    for status in ("paid", "cancelled", "draft"):
        finance.patch(path, {"status": status})
        assert problem(finance.post(f"{path}/reminders"), 409)


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
