from datetime import timedelta

import pytest
from rows import NOON

from sandbox_api.energy.models import Client

NAMES = ["Zoë", "ada", "Ömer", "Eve", "ayşe", "Łukasz", "%", "under_score"]


@pytest.fixture
def clients(db):
    return [
        Client.objects.create(name=name, email=f"{n}@example.com", created_at=NOON + timedelta(days=n))
        for n, name in enumerate(NAMES)
    ]


def names(client, **query):
    return [row["name"] for row in client.get("/energy/clients", query).json()["items"]]


def test_names_sort_without_case_and_accents(energy, clients):
    expected = ["%", "ada", "ayşe", "Eve", "Łukasz", "Ömer", "under_score", "Zoë"]
    assert names(energy, sort="name") == expected
    assert names(energy, sort="-name") == expected[::-1]


@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("łUKASZ", ["Łukasz"]),
        ("ayse", ["ayşe"]),
        ("eve 3@example", ["Eve"]),
        ("%", ["%"]),
        ("_", ["under_score"]),
        ("eve ada", []),
    ],
)
def test_a_search_finds_rows_that_have_all_its_words(energy, clients, q, found):
    assert names(energy, q=q) == found


def test_the_last_page_has_no_cursor_also_where_it_is_just_full(energy, clients):
    page = energy.get("/energy/clients", {"limit": 5}).json()
    assert (len(page["items"]), page["hasNext"], page["total"]) == (5, True, 8)
    last = energy.get("/energy/clients", {"limit": 5, "cursor": page["nextCursor"]}).json()
    assert (len(last["items"]), last["hasNext"], last["nextCursor"], last["total"]) == (3, False, None, 8)
    full = energy.get("/energy/clients", {"limit": 8}).json()
    assert (len(full["items"]), full["hasNext"], full["nextCursor"]) == (8, False, None)
