from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from sandbox_api.energy.models import Charger, ChargingSession, Station

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)


@pytest.fixture
def sessions(db):
    station = Station.objects.create(name="S", country="DE", city="Berlin", latitude=0, longitude=0)
    charger = Charger.objects.create(name="C", station=station, connector="ccs", max_power_kw=50)
    rows = [("0.10", "EUR", 1.5), ("0.20", "EUR", 2.25), ("7.00", "CHF", 10.0), ("0.40", "EUR", 0.1)]
    for n, (cost, currency, energy) in enumerate(rows):
        ChargingSession.objects.create(
            reference=f"CS-{n}",
            charger=charger,
            started_at=NOW + timedelta(days=n),
            energy_kwh=energy,
            cost=Decimal(cost),
            currency=currency,
            status="failed" if n == 3 else "completed",
        )


def totals(client, **query):
    answer = client.get("/energy/sessions/totals", query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_rows_are_counted_and_added_up_money_by_currency(energy, sessions):
    assert totals(energy, of="energyKwh,cost") == {
        "total": 4,
        "sums": {"energyKwh": 13.85, "cost": {"EUR": "0.70", "CHF": "7.00"}},
    }


def test_the_lists_own_parameters_say_which_rows(energy, sessions):
    found = totals(energy, of="cost", status="completed", startedAtTo="2026-03-17T00:00:00Z", q="cs")
    assert found == {"total": 2, "sums": {"cost": {"EUR": "0.30"}}}
    assert totals(energy, of="cost,energyKwh", q="nobody") == {"total": 0, "sums": {"cost": {}, "energyKwh": 0.0}}


@pytest.mark.parametrize("of", ["", ",", "id", "cost,status", "\0"])
def test_what_can_not_be_added_up_is_422(energy, problem, of):
    assert problem(energy.get("/energy/sessions/totals", {"of": of}), 422, "of")
