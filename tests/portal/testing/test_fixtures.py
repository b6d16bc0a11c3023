"""The fixtures, as a team uses them: in pages of all four projects, in one process."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.utils import translation
from django.utils.translation import gettext

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN, VAR_SELECTED_LOCALE
from portal.config.portal_config import PortalConfig
from portal.config.projects import PROJECTS
from portal.errors import UsageError
from portal.services.energy.clients import ClientQueries
from portal.store import MISSING, query_store, refresh_store
from portal.testing import Backend, NewQueryClient, SignedIn, UseLocale, row_ids
from portal.testing.projects import project_in_force
from tests.support.nested_pytest import run_pytest

CLIENTS = "/energy/clients"
ADA = {"id": "cli_1", "name": "Ada"}

each_project = pytest.mark.parametrize("app", [project.app for project in PROJECTS])
each_platform = pytest.mark.parametrize("app", [project.app for project in PROJECTS if project.platform])


# --- project ---


def test_by_default_it_is_the_project_whose_settings_are_loaded(project: PortalConfig, app: str) -> None:
    assert project.project.app == app == "energy"


@each_project
def test_the_settings_are_the_projects_own_and_go_back_afterwards(app: str, tmp_path: Path) -> None:
    before = {name: getattr(settings, name) for name in ("ROOT_URLCONF", "PORTAL", "CACHES", "CSRF_COOKIE_NAME")}
    with project_in_force(app, state_dir=tmp_path):
        assert f"apps.{app}.urls" == settings.ROOT_URLCONF
        assert settings.CSRF_COOKIE_NAME.endswith(app)
        assert tmp_path.as_posix() in settings.CACHES["default"]["LOCATION"]
    assert {name: getattr(settings, name) for name in before} == before


def test_an_unknown_project_is_named_in_the_error(tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match="'nowhere' should be one of auth_app, energy"),
        project_in_force("nowhere", state_dir=tmp_path),
    ):
        pass


@pytest.mark.parametrize("time", ["first", "second"])
def test_nothing_of_one_test_reaches_the_next(time: str, project: PortalConfig) -> None:
    for store in (query_store(), refresh_store()):
        assert store.get("left_behind") is MISSING, time
        store.set("left_behind", time, lifetime_s=60)


# --- signed_in, signed_out ---


@each_platform
def test_a_page_of_each_platform_is_rendered_with_its_own_settings(
    app: str, backend: Backend, signed_in: SignedIn
) -> None:
    for figures in ("summary", "state"):
        backend.fails(404, path=f"/{app}/{figures}")
    for path in ("/finance/invoices", "/operations/work-orders", *(f"/energy/{n}" for n in ENERGY_LISTS)):
        backend.lists(path, [])
    response = signed_in(f"{app.upper()}_APP").get(f"/de/{app}")
    body = response.content.decode()
    assert response.status_code == 200
    assert f'data-pathname="/de/{app}"' in body
    assert "Ada Lovelace" in body


ENERGY_LISTS = ["clients", "stations", "chargers", "sessions", "meters"]


@pytest.mark.parametrize("app", ["auth_app"])
def test_the_gateway_shows_its_form_to_a_stranger(signed_out: Client) -> None:
    assert 'name="password"' in signed_out.get("/en/login").content.decode()


def test_a_stranger_is_led_to_the_sign_in(signed_out: Client, backend: Backend) -> None:
    response = signed_out.get("/en/energy/clients")
    assert response.status_code == 302
    assert response["Location"].startswith("http://localhost:8000/en/login?next=")
    assert backend.calls == []


def test_the_profile_decides_and_not_the_token(signed_in: SignedIn) -> None:
    assert signed_in("ENERGY_APP", permissions=[]).get("/en/energy").status_code == 403


def test_two_people_are_two_accounts(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(CLIENTS, [ADA])
    ada, grace = signed_in("ENERGY_APP"), signed_in("ENERGY_APP", name="Grace Hopper")
    assert "Ada Lovelace" in ada.get("/en/energy/clients").content.decode()
    assert "Grace Hopper" in grace.get("/en/energy/clients").content.decode()
    assert len(backend.calls_to(CLIENTS)) == 2


def test_what_one_page_has_read_is_cached_for_the_next(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(CLIENTS, [ADA])
    person = signed_in("ENERGY_APP")
    assert row_ids(person.get("/en/energy/clients")) == row_ids(person.get("/en/energy/clients")) == ["cli_1"]
    assert len(backend.calls_to(CLIENTS)) == 1


def test_an_expired_sign_in_is_refreshed_and_the_browser_keeps_the_new_one(
    backend: Backend, signed_in: SignedIn
) -> None:
    backend.lists(CLIENTS, [ADA])
    person = signed_in("ENERGY_APP", expired=True)
    old = person.cookies[VAR_REFRESH_TOKEN].value
    assert person.get("/en/energy/clients").status_code == 200
    assert person.cookies[VAR_REFRESH_TOKEN].value != old
    assert person.get("/en/energy/clients?q=a").status_code == 200
    assert len(backend.calls_to("/refresh")) == 1


def test_cookies_are_added_and_taken_away(signed_in: SignedIn) -> None:
    person = signed_in("ENERGY_APP", cookies={VAR_SELECTED_LOCALE: "tr", VAR_REFRESH_TOKEN: ""})
    assert set(person.cookies) == {VAR_ACCESS_TOKEN, VAR_SELECTED_LOCALE}


@pytest.mark.parametrize(
    ("fault", "status"), [(503, 503), ("malformed", 503), ("refused", 503), (403, 403), (418, 502)]
)
def test_a_fault_of_the_backend_is_a_page(backend: Backend, signed_in: SignedIn, fault: int | str, status: int) -> None:
    backend.fails(fault, path=CLIENTS)
    response = signed_in("ENERGY_APP").get("/en/energy/clients")
    assert response.status_code == status
    assert f'data-status="{status}"' in response.content.decode()


def test_a_401_that_no_refresh_helps_is_a_page_and_not_a_sign_out(backend: Backend, signed_in: SignedIn) -> None:
    backend.fails(401, path=CLIENTS)
    response = signed_in("ENERGY_APP", cookies={VAR_REFRESH_TOKEN: ""}).get("/en/energy/clients")
    assert response.status_code == 401
    assert "data-sign-in-again" in response.content.decode()


# --- query_client, use_locale ---


def test_a_hook_reads_without_a_page(backend: Backend, query_client: NewQueryClient) -> None:
    backend.lists(CLIENTS, [{"id": f"c{number}"} for number in range(25)])
    result = ClientQueries.use_get_clients_query(query_client("ENERGY_APP"), {"q": "c"}, pages=2)
    assert len(result.unwrap().items) == 25
    assert backend.calls_to(CLIENTS)[0].query == {"q": "c", "limit": "20"}


def test_the_language_is_in_use_until_the_test_ends(use_locale: UseLocale) -> None:
    use_locale("de")
    assert gettext("Stations") == "Stationen"
    use_locale("tr")
    assert translation.get_language() == "tr"


def test_the_language_of_another_test_is_gone() -> None:
    assert translation.get_language() == "en"


@pytest.mark.parametrize("app", ["finance"])
def test_the_texts_are_those_of_the_project(use_locale: UseLocale) -> None:
    use_locale("de")
    assert gettext("Overdue") == "Überfällig"


def test_an_unknown_language_is_refused(use_locale: UseLocale) -> None:
    with pytest.raises(UsageError, match="'fr' should be one of en, de, tr"):
        use_locale("fr")


# --- what a team sees that forgot to say something ---


def test_a_page_with_a_call_that_the_test_did_not_set_up_fails_the_test(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["portal.testing"]\n')
    (tmp_path / "test_page.py").write_text(
        'def test_a_page(signed_in):\n    assert signed_in("ENERGY_APP").get("/en/energy/clients").status_code == 404\n'
    )
    result = run_pytest(tmp_path)
    assert "1 passed, 1 error" in result.stdout
    assert "the backend was told nothing about GET /energy/clients" in result.stdout
