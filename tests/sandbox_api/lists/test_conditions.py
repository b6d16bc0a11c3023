from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rows import NOON, make_station


@pytest.fixture
def stations(db):
    return [
        make_station(id=f"sta_{n}", name=f"Station {n}", created_at=NOON + timedelta(days=n), **fields)
        for n, fields in enumerate(
            [
                {"city": "Oslo", "country": "NO"},
                {"city": "Berlin", "status": "planned"},
                {"city": "Köln"},
                {"city": "Graz", "country": "AT"},
            ]
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
        ({"country": "DE,AT", "status": "active"}, {2, 3}),
        ({"city": "Köln,Oslo", "q": "station"}, {0, 2}),
        ({"createdAtFrom": "2026-03-16T12:00:00Z", "createdAtTo": "2026-03-17T12:00:00Z"}, {1}),
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


@pytest.mark.django_db
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    query=st.dictionaries(
        st.sampled_from(["q", "status", "city", "createdAtFrom", "createdAtTo", "by", "cursor", "sort", "limit"]),
        st.text(max_size=300) | st.sampled_from(["status", "2026-01-01T00:00:00Z", "name", "a,b", "\\"]),
    )
)
def test_no_parameter_is_an_error_of_ours(energy, query):
    for path in ("/energy/stations", "/energy/stations/counts"):
        assert energy.get(path, query).status_code in {200, 422}
