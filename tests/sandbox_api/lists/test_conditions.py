from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox_api.energy.models import Charger, ChargingSession, Client, Meter, Station

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)


@pytest.fixture
def stations(db):
    return [
        Station.objects.create(
            id=f"sta_{n}",
            name=f"Station {n}",
            city=city,
            country=country,
            status=status,
            latitude=0,
            longitude=0,
            created_at=NOW + timedelta(days=n),
        )
        for n, (city, country, status) in enumerate(
            [("Oslo", "NO", "active"), ("Berlin", "DE", "planned"), ("Köln", "DE", "active"), ("Graz", "AT", "active")]
        )
    ]


def ids(client, path, **query):
    answer = client.get(path, query)
    assert answer.status_code == 200, answer.content
    return {row["id"] for row in answer.json()["items"]}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"status": "active,planned"}, {0, 1, 2, 3}),
        ({"status": "planned,unknown"}, {1}),
        ({"status": "unknown"}, set()),
        ({"country": "DE,AT", "status": "active"}, {2, 3}),
        ({"city": "Köln,Oslo", "q": "station"}, {0, 2}),
        ({"createdAtFrom": "2026-03-16T12:00:00Z"}, {1, 2, 3}),
        ({"createdAtTo": "2026-03-16T12:00:00Z"}, {0}),
        ({"createdAtFrom": "2026-03-16T12:00:00Z", "createdAtTo": "2026-03-17T12:00:00Z"}, {1}),
        ({"createdAtFrom": "2026-03-20T00:00:00Z", "createdAtTo": "2026-03-01T00:00:00Z"}, set()),
        ({"createdAtFrom": "", "status": ","}, {0, 1, 2, 3}),
    ],
)
def test_a_row_has_one_value_of_each_filter_and_lies_in_the_range(energy, stations, query, found):
    assert ids(energy, "/energy/stations", **query) == {f"sta_{n}" for n in found}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("createdAtFrom", "yesterday"),
        ("createdAtTo", "2026-03-01"),
        ("status", ",".join(map(str, range(101)))),
        ("status", "open,\0"),
        ("country", "x" * 201),
    ],
)
def test_a_wrong_moment_or_filter_is_422_and_named(energy, problem, name, value):
    assert problem(energy.get("/energy/stations", {name: value}), 422, name)
    assert problem(energy.get("/energy/stations/counts", {name: value, "by": "city"}), 422, name)


def test_a_range_of_another_list_does_not_matter(energy, stations):
    assert len(ids(energy, "/energy/stations", startedAtFrom="nonsense")) == 4


def test_an_exact_id_finds_its_row_in_every_list(energy, stations):
    client = Client.objects.create(id="cli_1", name="Ada", email="ada@example.com")
    charger = Charger.objects.create(id="chg_1", name="C", station=stations[0], max_power_kw=50, connector="ccs")
    session = ChargingSession.objects.create(
        id="ses_1",
        reference="CS-2026-021000",
        charger=charger,
        client=client,
        started_at=NOW,
        energy_kwh=1,
        cost=1,
        status="completed",
    )
    meter = Meter.objects.create(id="met_1", serial="1EMH", station=stations[0])
    rows = {"clients": client, "stations": stations[0], "chargers": charger, "sessions": session, "meters": meter}
    for path, row in rows.items():
        assert ids(energy, f"/energy/{path}", q=row.id) == {row.id}
        assert ids(energy, f"/energy/{path}", q=row.id.upper()) == {row.id}
        assert ids(energy, f"/energy/{path}", q=row.id[:-1]) == set()
    assert ids(energy, "/energy/sessions", q="CS-2026-021000") == {"ses_1"}
    assert ids(energy, "/energy/sessions", q="021000 ada") == {"ses_1"}
    assert ids(energy, "/energy/chargers", q="oslo") == {"chg_1"}
    for name, value in [("stationId", "sta_0"), ("chargerId", "chg_1"), ("clientId", "cli_1")]:
        assert ids(energy, "/energy/sessions", **{name: value}) == {"ses_1"}
        assert ids(energy, "/energy/sessions", **{name: "other"}) == set()


@pytest.mark.django_db
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    query=st.dictionaries(
        st.sampled_from(["q", "status", "city", "createdAtFrom", "createdAtTo", "by", "cursor", "sort", "limit"]),
        st.text(max_size=300) | st.sampled_from(["status", "2026-01-01T00:00:00Z", "name", "a,b", "\\"]),
    )
)
def test_no_parameter_is_an_error_of_ours(energy, query):
    for path in ("/energy/stations", "/energy/stations/counts"):
        assert energy.get(path, query).status_code in {200, 422}
