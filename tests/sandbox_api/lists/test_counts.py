from decimal import Decimal

import pytest
from rows import make_charger, make_session, make_station


@pytest.fixture
def chargers(db):
    stations = [make_station(id=f"sta_{n}", city=city) for n, city in enumerate(["Oslo", "Berlin"])]
    kinds = [("ccs", "faulted"), ("ccs", "available"), ("type2", "faulted"), ("type2", "available"), ("ccs", "faulted")]
    for n, (connector, status) in enumerate(kinds):
        make_charger(station=stations[n % 2], connector=connector, status=status)


def counts(client, **query):
    answer = client.get("/energy/chargers/counts", query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_rows_are_counted_by_each_value_also_by_those_that_none_has(energy, chargers):
    assert counts(energy, by="status,connector") == {
        "status": {"available": 2, "charging": 0, "faulted": 3, "unavailable": 0},
        "connector": {"type2": 2, "ccs": 3, "chademo": 0},
    }


def test_a_field_is_counted_with_all_parameters_but_its_own(energy, chargers):
    found = counts(energy, by="status,connector", status="faulted")
    assert found["status"]["available"] == 2
    assert found["connector"] == {"type2": 1, "ccs": 2, "chademo": 0}
    found = counts(energy, by="status", status="faulted", connector="ccs", stationId="sta_0")
    assert found["status"] == {"available": 0, "charging": 0, "faulted": 2, "unavailable": 0}


def test_rows_are_added_up_and_money_by_currency(energy, db):
    charger = make_charger()
    for cost, currency, kwh in (("0.10", "EUR", 1.5), ("0.20", "EUR", 2.25), ("7.00", "CHF", 10.0)):
        make_session(charger, energy_kwh=kwh, cost=Decimal(cost), currency=currency)
    make_session(charger, energy_kwh=0.1, cost=Decimal("0.40"), status="failed")
    sums = {"energyKwh": 13.85, "cost": {"EUR": "0.70", "CHF": "7.00"}}
    assert energy.get("/energy/sessions/totals?of=energyKwh,cost").json() == {"total": 4, "sums": sums}


@pytest.mark.parametrize(
    ("path", "name", "values"),
    [
        ("chargers/counts", "by", ["", ",", "password", "status,password", "station", "createdAt", "\0"]),
        ("sessions/totals", "of", ["", ",", "id", "cost,status", "\0"]),
    ],
)
def test_other_field_can_not_be_counted_or_added_up(energy, problem, path, name, values):
    for value in values:
        assert problem(energy.get(f"/energy/{path}", {name: value}), 422, name), value
