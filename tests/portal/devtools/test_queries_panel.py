"""The panel of a page's queries, in real servers with the toolbar switched on, and nothing of it where it is off."""

from __future__ import annotations

import dataclasses
import html
import re
from typing import TYPE_CHECKING, Any

import pytest
import requests
from django.conf import settings

from portal.config.base_settings import build_settings
from portal.config.environment.reader import read_config
from tests.support.harness import RunningStack, running_stack

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = "/en/energy/clients"


@pytest.fixture(scope="module")
def energy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """The gateway and the energy app, with the toolbar."""
    folder = tmp_path_factory.mktemp("devtools")
    with running_stack(folder, without=("operations", "finance"), APP_DEBUG_TOOLBAR="on") as stack:
        yield stack


@pytest.fixture
def browser(energy: RunningStack) -> Iterator[requests.Session]:
    """A signed-in browser."""
    with requests.Session() as session:
        login = energy.url("auth_app", "/en/login")
        form = {"email": "energy@example.com", "password": "demo", **csrf(session.get(login, timeout=10).text)}
        assert session.post(login, data=form, allow_redirects=False, timeout=10).status_code == 303
        yield session


def csrf(page: str) -> dict[str, str]:
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert found
    return {"csrfmiddlewaretoken": found[1]}


def open_panel(stack: RunningStack, browser: requests.Session) -> tuple[list[list[str]], str]:
    """The rows of the panel of the clients' page, and its HTML."""
    page = browser.get(stack.url("energy", PAGE), timeout=10).text
    found = re.search(r'data-request-id="([^"]+)"', page)
    assert found, "the page carries the toolbar"
    response = browser.get(
        stack.url("energy", "/__debug__/render_panel/"),
        params={"request_id": found[1], "panel_id": "QueriesPanel"},
        timeout=10,
    )
    content: str = response.json()["content"]
    rows = re.findall(r"<tr>\s*<td>(.*?)</tr>", content, flags=re.DOTALL)
    cells = [[html.unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in row.split("</td>")] for row in rows]
    return cells, content


def cache_statuses(rows: list[list[str]]) -> dict[str, str]:
    return {row[0].partition(",")[0].strip('["'): row[1] for row in rows}


def press(stack: RunningStack, browser: requests.Session, content: str, button: str, **fields: str) -> Any:
    form = {"back": PAGE, **csrf(content), **fields}
    url = stack.url("energy", f"/__debug__/queries/{button}/")
    return browser.post(url, data=form, allow_redirects=False, timeout=10)


def test_it_shows_each_query_of_the_page_and_its_cache_status(energy: RunningStack, browser: requests.Session) -> None:
    open_panel(energy, browser)
    open_panel(energy, browser)
    rows, content = open_panel(energy, browser)
    assert cache_statuses(rows) == {"user.get_me": "hit", "energy.get_clients": "hit"}
    row = next(row for row in rows if "get_clients" in row[0])
    assert row[0] == '["energy.get_clients", {}, "paginated", 20, "limit"]'
    assert re.fullmatch(r"\d+\.\d\d ms", row[2])
    assert re.fullmatch(r"\d+ s", row[3])
    assert row[4:7] == ["1", "0", ""]
    assert "Tokens of this request: kept." in content


def test_its_buttons_refetch_and_clear(energy: RunningStack, browser: requests.Session) -> None:
    open_panel(energy, browser)
    _, content = open_panel(energy, browser)
    response = press(energy, browser, content, "refetch", endpoint="energy.get_clients", params="{}", pages="1")
    assert (response.status_code, response.headers["Location"]) == (303, PAGE)
    rows, content = open_panel(energy, browser)
    assert cache_statuses(rows)["energy.get_clients"] == "hit"
    assert press(energy, browser, content, "clear").status_code == 303
    rows, _ = open_panel(energy, browser)
    assert set(cache_statuses(rows).values()) == {"miss"}


@pytest.mark.parametrize(
    "fields", [{"endpoint": "no.such"}, {"endpoint": "energy.get_clients", "params": "no JSON"}, {"params": "{}"}]
)
def test_an_unknown_query_is_400(energy: RunningStack, browser: requests.Session, fields: dict[str, str]) -> None:
    _, content = open_panel(energy, browser)
    assert press(energy, browser, content, "refetch", **{"params": "{}", **fields}).status_code == 400


@pytest.mark.parametrize("back", ["//evil.test/x", "https://evil.test/x", "\\\\evil.test/x", ""])
def test_a_button_leads_back_into_this_app_only(energy: RunningStack, browser: requests.Session, back: str) -> None:
    _, content = open_panel(energy, browser)
    location = press(energy, browser, content, "clear", back=back).headers["Location"]
    assert location.startswith("/")
    assert not location.startswith(("//", "/\\"))


def test_a_button_needs_the_token_of_the_form(energy: RunningStack, browser: requests.Session) -> None:
    response = browser.post(energy.url("energy", "/__debug__/queries/clear/"), timeout=10)
    assert response.status_code == 403


def test_without_the_switch_or_outside_of_debug_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_DEBUG_TOOLBAR", "on")
    assert not read_config("energy").debug_toolbar, "DEBUG is off in these tests"
    monkeypatch.setenv("DEBUG", "on")
    assert read_config("energy").debug_toolbar
    monkeypatch.setenv("APP_DEBUG_TOOLBAR", "off")
    assert not read_config("energy").debug_toolbar
    built = build_settings(dataclasses.replace(settings.PORTAL, debug_toolbar=False))
    assert not any("toolbar" in name for name in [*built["INSTALLED_APPS"], *built["MIDDLEWARE"], *built])
