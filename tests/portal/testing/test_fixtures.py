"""The fixtures, as a team uses them: in pages of all four projects, in one process."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN, VAR_SELECTED_LOCALE
from portal.config.current import portal_config
from portal.config.portal_config import PortalConfig
from portal.config.projects import PROJECTS
from portal.errors import UsageError
from portal.query import process_runtime
from portal.services.energy.clients import ClientQueries
from portal.store import MISSING, query_store, refresh_store
from portal.testing import Backend, NewQueryClient, SignedIn, UseLocale, row_ids
from portal.testing.projects import project_in_force
from portal.web.templating import part_cache
from tests.support.nested_pytest import run_pytest

CLIENTS = "/energy/clients"
ENERGY_LISTS = ["clients", "stations", "chargers", "sessions", "meters"]
ADA = {"id": "cli_1", "name": "Ada"}

each_project = pytest.mark.parametrize("app", [project.app for project in PROJECTS])
each_platform = pytest.mark.parametrize("app", [project.app for project in PROJECTS if project.platform])


# --- project ---


def test_by_default_it_is_the_project_whose_settings_are_loaded(project: PortalConfig, app: str) -> None:
    assert project.project.app == app == "energy"


@each_project
def test_the_settings_are_the_projects_own_and_go_back_afterwards(app: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'nowhere' should be one of"), project_in_force("nowhere", state_dir=tmp_path):
        pass
    before = {name: getattr(settings, name) for name in ("ROOT_URLCONF", "PORTAL", "CACHES", "CSRF_COOKIE_NAME")}
    with project_in_force(app, state_dir=tmp_path):
        assert f"apps.{app}.urls" == settings.ROOT_URLCONF
        assert settings.CSRF_COOKIE_NAME.endswith(app)
        assert tmp_path.as_posix() in settings.CACHES["default"]["LOCATION"]
    assert {name: getattr(settings, name) for name in before} == before


@pytest.mark.parametrize("time", ["first", "second"])
def test_nothing_of_one_test_reaches_the_next(time: str, project: PortalConfig) -> None:
    for store in (query_store(), refresh_store()):
        assert store.get("left_behind") is MISSING, time
        store.set("left_behind", time, lifetime_s=60)
    assert part_cache.kept(lambda: (time,), key=("left_behind",)) == (time,)


@pytest.fixture
def ended() -> Iterator[threading.Event]:
    """Is set before the next test. It is asked for before the backend, so it ends after it."""
    made = threading.Event()
    yield made
    assert made.is_set()


def test_fetch_ends_before_its_backend(ended: threading.Event, backend: Backend) -> None:
    def fetch() -> None:
        threading.Event().wait(0.3)
        requests.get(f"{portal_config().api_base_url}/me", timeout=1)
        ended.set()

    assert process_runtime().pool.submit(fetch)
    assert not backend.calls


# --- signed_in ---


@each_platform
def test_each_platform_renders_by_its_settings(app: str, backend: Backend, signed_in: SignedIn) -> None:
    for figures in ("summary", "state"):
        backend.fails(404, path=f"/{app}/{figures}")
    for path in ("/finance/invoices", "/operations/work-orders", *(f"/energy/{n}" for n in ENERGY_LISTS)):
        backend.lists(path, [])
    response = signed_in(f"{app.upper()}_APP").get(f"/de/{app}")
    body = response.content.decode()
    assert response.status_code == 200
    assert f'data-pathname="/de/{app}"' in body
    assert "Ada Lovelace" in body


def test_expired_sign_in_is_refreshed_and_kept(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(CLIENTS, [ADA])
    person = signed_in("ENERGY_APP", expired=True)
    old = person.cookies[VAR_REFRESH_TOKEN].value
    assert person.get("/en/energy/clients").status_code == 200
    assert person.cookies[VAR_REFRESH_TOKEN].value != old
    assert person.get("/en/energy/clients?q=a").status_code == 200
    assert len(backend.calls_to("/refresh")) == 1


def test_cookies_are_changed_and_people_are_separate(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(CLIENTS, [ADA])
    cookies = {VAR_SELECTED_LOCALE: "tr", VAR_REFRESH_TOKEN: ""}
    ada, grace = signed_in("ENERGY_APP", cookies=cookies), signed_in("ENERGY_APP", name="Grace Hopper")
    assert set(ada.cookies) == {VAR_ACCESS_TOKEN, VAR_SELECTED_LOCALE}
    for browser, name in ((ada, "Ada Lovelace"), (grace, "Grace Hopper")):
        page = browser.get("/en/energy/clients")
        assert name in page.content.decode()
        assert row_ids(page) == ["cli_1"]
    assert len(backend.calls_to(CLIENTS)) == 2


# --- query_client, use_locale ---


def test_a_hook_reads_without_a_page(backend: Backend, query_client: NewQueryClient) -> None:
    backend.lists(CLIENTS, [{"id": f"c{number}"} for number in range(25)])
    result = ClientQueries.use_get_clients_query(query_client("ENERGY_APP"), {"q": "c"}, pages=2)
    assert len(result.unwrap().items) == 25
    assert backend.calls_to(CLIENTS)[0].query == {"q": "c", "limit": "20"}


@pytest.mark.parametrize("app", ["finance"])
def test_the_language_is_in_use_until_the_test_ends_with_the_texts_of_the_project(use_locale: UseLocale) -> None:
    assert translation.get_language() == "en", "that of the test before is gone"
    use_locale("tr")
    assert translation.get_language() == "tr"
    use_locale("de")
    assert gettext("Overdue") == "Überfällig"
    with pytest.raises(UsageError, match="'fr' should be one of en, de, tr"):
        use_locale("fr")


# --- what a team sees that forgot to say something ---


def test_a_page_with_a_call_that_the_test_did_not_set_up_fails_the_test(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["portal.testing"]\n')
    (tmp_path / "test_page.py").write_text(
        'def test_a_page(signed_in):\n    assert signed_in("ENERGY_APP").get("/en/energy/clients").status_code == 404\n'
    )
    result = run_pytest(tmp_path, status=1)
    assert "1 passed, 1 error" in result.stdout
    assert "the backend was told nothing about GET /energy/clients" in result.stdout
