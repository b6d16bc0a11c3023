import pytest

from sandbox_api.energy.models import Client

SORTS = {
    "/energy/clients": ["createdAt", "name", "email", "city"],
    "/energy/stations": ["createdAt", "name", "city"],
    "/energy/chargers": ["createdAt", "name", "maxPowerKw"],
    "/energy/sessions": ["createdAt", "name", "startedAt", "energyKwh", "cost"],
    "/energy/meters": ["createdAt", "name", "serial"],
    "/operations/work-orders": ["createdAt", "name", "title"],
    "/finance/invoices": ["createdAt", "name", "number", "amount", "issuedAt", "dueAt"],
    "/iam/accounts": ["createdAt", "name", "email"],
    "/iam/auth/sessions": ["createdAt", "name", "lastUsedAt"],
}


@pytest.fixture
def anybody(sign_in):
    return sign_in("ENERGY_APP", "OPERATIONS_APP", "FINANCE_APP", "IAM_ADMIN")


@pytest.mark.parametrize("path", SORTS)
def test_every_list_has_the_same_shape_and_the_same_parameters(anybody, problem, path):
    page = anybody.get(path).json()
    assert set(page) == {"items", "hasNext", "nextCursor", "total"}
    for name in SORTS[path]:
        for sort in (name, f"-{name}"):
            assert anybody.get(path, {"sort": sort, "q": "x", "limit": 1}).status_code == 200, sort
    assert problem(anybody.get(path, {"sort": "password"}), 422, "sort")
    assert problem(anybody.get(path, {"cursor": "nonsense"}), 422, "cursor")
    assert problem(anybody.get(path, {"limit": 0}), 422, "limit")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("limit", ["0", "-1", "101", "1.5", "ten", "1e2", "٣", "1_0", " 5", "9" * 5000, "\0"]),
        ("q", ["\0", "a\nb", "x" * 201]),
    ],
)
def test_a_parameter_that_can_not_be_one_is_422(energy, problem, name, values):
    for value in values:
        assert problem(energy.get("/energy/clients", {name: value}), 422, name), value
    query = {"sort": "x", "limit": "x", "q": "\0"}
    assert problem(energy.get("/energy/clients", query), 422, *query), "all at once"


def test_a_limit_within_1_to_100_is_taken_and_empty_and_unknown_parameters_do_not_matter(energy):
    empty = dict.fromkeys(("sort", "limit", "q", "cursor", "city"), "")
    for query in ({"limit": "1"}, {"limit": "100"}, {"limit": "050"}, empty | {"page": "7"}):
        assert energy.get("/energy/clients", query).status_code == 200


def test_a_page_has_twenty_rows_unless_another_number_is_asked_for(energy):
    Client.objects.bulk_create(Client(id=f"cli_{number}", name="A", email="a@example.com") for number in range(21))
    for query, rows in (({}, 20), ({"limit": ""}, 20), ({"limit": "21"}, 21)):
        page = energy.get("/energy/clients", query).json()
        assert (len(page["items"]), page["hasNext"]) == (rows, rows < 21)
