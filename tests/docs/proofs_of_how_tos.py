"""What is to be seen in a checkout in which the how-tos were followed. `test_how_tos.py` runs these tests in a copy."""

import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from portal.api.call_log import Attempt, LoggedCall, log_response
from portal.api.responses import RawResponse
from portal.config import limits
from portal.config.log_lines import line_formatter
from portal.config.places import SOURCE_ROOT
from portal.config.projects import PROJECT_BY_APP
from portal.services.energy.chargers import ChargerQueries
from portal.services.energy.stations import StationQueries
from portal.services.operations.work_orders import WorkOrderMutations, WorkOrderQueries
from portal.testing import Backend, NewQueryClient, SignedIn, UseLocale, row_ids
from portal.web.present import formats_of, number_text
from tests.support.checkout_copy import NEW_PLATFORM

FORM = {"email": "ada@example.com", "password": "correct horse", "next": ""}


@pytest.fixture
def app(request: pytest.FixtureRequest) -> str:
    """The project that a test names: `@in_app("finance")`."""
    return str(request.param)


def in_app(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("app", [name], indirect=True, ids=[""])


@in_app("energy")
def test_field(backend: Backend, signed_in: SignedIn) -> None:
    row = {"id": "cli_1", "name": "Ada", "company": "Analytical Engines"}
    backend.lists("/energy/clients", [row])
    backend.lists("/energy/sessions", [])
    backend.answers("GET", "/energy/clients/cli_1", json=row)
    backend.answers("POST", "/energy/clients", json=row, status=201)
    browser = signed_in("ENERGY_APP")
    for path in ("/de/energy/clients", "/de/energy/clients/cli_1"):
        page = browser.get(path).content.decode()
        assert "Analytical Engines" in page
        assert "Firma" in page
    form = {"name": "Ada", "email": "ada@example.com", "company": "Analytical Engines"}
    form |= {name: str(value) for name, value in hidden(browser.get("/en/energy/clients/new")).items()}
    assert browser.post("/en/energy/clients/new", form).status_code == 303
    assert backend.calls_to("/energy/clients", method="POST")[-1].body["company"] == "Analytical Engines"


def hidden(page: Any) -> dict[str, str]:
    return dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page.content.decode()))


@in_app("energy")
def test_path(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists("/energy/sites", [{"id": "sta_1", "name": "Harbour"}])
    assert row_ids(signed_in("ENERGY_APP").get("/en/energy/stations")) == ["sta_1"]


def test_stale_time() -> None:
    assert ChargerQueries.use_get_chargers_query.stale_time_s == 30
    assert StationQueries.use_get_stations_query.stale_time_s == 300


@in_app("energy")
def test_sort(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists("/energy/sites", [{"id": "sta_1", "address": "Kai 1"}])
    page = signed_in("ENERGY_APP").get("/de/energy/stations?sort=address")
    assert "Adresse, aufsteigend" in page.content.decode()
    assert backend.calls_to("/energy/sites")[-1].query["sort"] == "address"


@in_app("auth_app")
def test_cookie(backend: Backend, signed_out: Client) -> None:
    made = backend.sign_in("ENERGY_APP")
    backend.answers("POST", "/auth/login", json=made.pair)
    response = signed_out.post("/en/login", FORM)
    assert response.cookies["ACME_ACCESS_TOKEN"].value == made.access
    assert "VAR_ACCESS_TOKEN" not in response.cookies
    backend.lists("/iam/auth/sessions", [])
    assert signed_out.get("/en/profile").status_code == 200


def test_refresh_timeout() -> None:
    assert limits.REFRESH_DEADLINE_S == 8


@in_app("auth_app")
def test_sign_in_text(signed_out: Client) -> None:
    assert "Use the account of your company." in signed_out.get("/en/login").content.decode()
    assert "Nutzen Sie Ihr Firmenkonto." in signed_out.get("/de/login").content.decode()


@in_app("auth_app")
def test_language(signed_out: Client, use_locale: UseLocale) -> None:
    catalogs = SOURCE_ROOT.glob("*/**/locale/fr/LC_MESSAGES/django.po")
    platforms = PROJECT_BY_APP.keys() - {"auth_app"}
    assert {path.parts[-5] for path in catalogs} == {*platforms, "apps", "web", "portal_gateway", "portal_pages"}
    assert "Se connecter" in signed_out.get("/fr/login").content.decode()
    use_locale("fr")
    assert formats_of("fr").day(datetime(2026, 3, 9, tzinfo=UTC)) == "9 mars 2026"
    assert number_text(1234.5, places=1) == "1\N{NARROW NO-BREAK SPACE}234,5"


@in_app("operations")
def test_list_helper(backend: Backend, query_client: NewQueryClient) -> None:
    rows = [{"id": f"wo_{number}", "title": str(number)} for number in range(3)]
    backend.lists("/operations/work-orders", rows)
    backend.answers("PATCH", "/operations/work-orders/wo_2", json={"id": "wo_2", "title": "two"})
    client = query_client("OPERATIONS_APP")
    WorkOrderQueries.use_get_work_orders_query(client).unwrap()
    WorkOrderMutations.use_update_work_order_mutation(client).mutate(body={}, params={"id": "wo_2"}).unwrap()
    after = WorkOrderQueries.use_get_work_orders_query(client).unwrap()
    assert [row.title for row in after.items] == ["two", "0", "1"]
    assert len(backend.calls_to("/operations/work-orders")) == 1


@in_app("energy")
def test_relation(backend: Backend, signed_in: SignedIn) -> None:
    backend.answers("GET", "/energy/clients/cli_1", json={"id": "cli_1", "name": "Ada"})
    backend.lists("/energy/sessions", [])
    browser = signed_in("ENERGY_APP")
    assert "Dieser Kunde hat noch nicht geladen." in browser.get("/de/energy/clients/cli_1").content.decode()


@in_app("operations")
def test_action(backend: Backend, signed_in: SignedIn) -> None:
    order = {"id": "wor_1", "title": "Clean it", "status": "open", "priority": "low", "version": 1}
    path = "/operations/work-orders/wor_1"
    backend.answers("GET", path, json=order)
    backend.answers("PATCH", path, json={**order, "priority": "urgent", "version": 2})
    backend.lists("/operations/people", [])
    browser = signed_in("OPERATIONS_APP")
    page = browser.get(f"/de{path}")
    assert "Als dringend einstufen" in page.content.decode()
    form = {**hidden(page), "rowVersion": "1", "shown-priority": "low"}
    assert browser.post(f"/de{path}/hurry", form).status_code == 303
    assert backend.calls_to(path, method="PATCH")[0].body == {"priority": "urgent"}
    backend.answers("GET", path, json={**order, "priority": "urgent", "version": 2})
    after = browser.get(f"/de{path}").content.decode()
    assert "„Clean it“ ist jetzt dringend." in after
    assert "Als dringend einstufen" not in after


@in_app(NEW_PLATFORM)
def test_platform(signed_in: SignedIn) -> None:
    browser = signed_in(f"{NEW_PLATFORM.upper()}_APP")
    page = browser.get(f"/de/{NEW_PLATFORM}").content.decode()
    assert "Logistik" in page
    assert not re.search(r"Overview|Trialplatform", page)


def test_log(caplog: pytest.LogCaptureFixture) -> None:
    response = RawResponse(status=500, headers={}, content=b"12345")
    log_response(LoggedCall("backend", "GET", "/me", Attempt(), None), response, duration_ms=1.0)
    (record,) = caplog.records
    line = json.loads(line_formatter(app="energy", log_format="json").format(record))
    assert line["bytes"] == 5
    assert "500, 5 bytes, in 1 ms" in line["message"]
