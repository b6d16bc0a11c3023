import re

import pytest
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

CONTRACT = {
    ("post", "/auth/login"),
    ("post", "/auth/logout"),
    ("post", "/refresh"),
    ("get", "/me"),
    ("get", "/energy/clients"),
    ("post", "/energy/clients"),
    ("get", "/energy/clients/{row_id}"),
    ("patch", "/energy/clients/{row_id}"),
    ("delete", "/energy/clients/{row_id}"),
    *{
        ("get", f"/energy/{name}{row}")
        for name in ("stations", "chargers", "sessions", "meters")
        for row in ("", "/{row_id}")
    },
    ("get", "/iam/accounts"),
    ("get", "/iam/accounts/{row_id}"),
    ("patch", "/iam/accounts/{row_id}"),
    ("get", "/iam/auth/sessions"),
    ("delete", "/iam/auth/sessions/{row_id}"),
    ("get", "/operations/work-orders"),
    ("post", "/operations/work-orders"),
    ("get", "/operations/work-orders/{row_id}"),
    ("patch", "/operations/work-orders/{row_id}"),
    ("get", "/finance/invoices"),
    ("get", "/finance/invoices/{row_id}"),
}


@pytest.fixture(scope="module")
def schema():
    GENERATOR_STATS.reset()
    return SchemaGenerator().get_schema(public=True)


def test_the_description_is_valid_and_has_no_warnings(schema):
    validate_schema(schema)
    assert not GENERATOR_STATS


def test_it_has_every_endpoint_of_the_contract(schema):
    described = {(method, path) for path, methods in schema["paths"].items() for method in methods}
    assert described >= CONTRACT
    assert described - CONTRACT == {
        ("get", "/energy/summary"),
        ("get", "/operations/summary"),
        ("get", "/finance/summary"),
    }


def test_it_is_served_to_anyone(anyone):
    assert anyone.get("/openapi.json").json()["openapi"].startswith("3.")


def test_the_page_needs_nothing_from_elsewhere(anyone):
    page = anyone.get("/docs").content.decode()
    assert "swagger-ui" in page
    assert not re.findall(r"(?:src|href)=\"(?:https?:)?//", page)
    files = re.findall(r"(?:src|href)=\"(/static/[^\"]+)\"", page)
    assert files
    for file in files:
        answer = anyone.get(file)
        answer.close()
        assert answer.status_code == 200, file
