import pytest
from rows import make_charger, make_station

from sandbox_api.energy.models import Client


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


def test_a_filter_without_known_values_is_counted_by_those_that_are_there(energy, chargers):
    assert counts(energy, by="stationId") == {"stationId": {"sta_0": 3, "sta_1": 2}}
    # Each station once, however many chargers it has.
    assert energy.get("/energy/stations/counts?by=city").json() == {"city": {"Berlin": 1, "Oslo": 1}}
    Client.objects.create(name="Ada", email="a@example.com", city="Oslo")
    Client.objects.create(name="Eve", email="e@example.com")
    assert energy.get("/energy/clients/counts?by=city").json() == {"city": {"Oslo": 1}}


@pytest.mark.parametrize("by", ["", ",", "password", "status,password", "station", "createdAt", "\0"])
def test_what_can_not_be_counted_is_422(energy, problem, by):
    assert problem(energy.get("/energy/chargers/counts", {"by": by}), 422, "by")
