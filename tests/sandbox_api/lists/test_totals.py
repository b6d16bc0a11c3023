from datetime import timedelta
from decimal import Decimal

import pytest
from rows import NOON, make_charger, make_session


@pytest.fixture
def sessions(db):
    charger = make_charger()
    rows = [("0.10", "EUR", 1.5), ("0.20", "EUR", 2.25), ("7.00", "CHF", 10.0), ("0.40", "EUR", 0.1)]
    for n, (cost, currency, energy) in enumerate(rows):
        started_at, status = NOON + timedelta(days=n), "failed" if n == 3 else "completed"
        money = {"cost": Decimal(cost), "currency": currency}
        make_session(charger, started_at=started_at, energy_kwh=energy, status=status, **money)


def totals(client, **query):
    answer = client.get("/energy/sessions/totals", query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_rows_are_counted_and_added_up_money_by_currency(energy, sessions):
    assert totals(energy, of="energyKwh,cost") == {
        "total": 4,
        "sums": {"energyKwh": 13.85, "cost": {"EUR": "0.70", "CHF": "7.00"}},
    }


@pytest.mark.parametrize("of", ["", ",", "id", "cost,status", "\0"])
def test_what_can_not_be_added_up_is_422(energy, problem, of):
    assert problem(energy.get("/energy/sessions/totals", {"of": of}), 422, "of")
