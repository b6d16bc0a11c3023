"""The panel of queries, in real servers with the toolbar switched on, and nothing of it where it is off."""

from __future__ import annotations

import dataclasses
import html
import re
from typing import TYPE_CHECKING

import pytest
import requests
from django.conf import settings

from portal.config.base_settings import build_settings
from portal.config.environment.reader import read_config
from tests.support.harness import RunningStack, running_stack

if TYPE_CHECKING:
    from collections.abc import Iterator

CLIENTS = "/en/energy/clients"
PAGE = f"{CLIENTS}?menu=city"


@pytest.fixture(scope="module")
def energy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """The gateway and the energy app, with the toolbar."""
    folder = tmp_path_factory.mktemp("devtools")
    left_out = ("operations", "finance")
    with running_stack(folder, without=left_out, development=True, APP_DEBUG_TOOLBAR="on") as stack:
        yield stack


@pytest.fixture
def browser(energy: RunningStack) -> Iterator[requests.Session]:
    """A signed-in browser."""
    with requests.Session() as session:
        login = energy.url("auth_app", "/en/login")
        form = {"email": "energy@example.com", "password": "demo", **csrf(session.get(login, timeout=10).text)}
        assert session.post(login, data=form, allow_redirects=False, timeout=10).status_code == 303
        yield session


def hidden(page: str) -> dict[str, str]:
    """The hidden fields of a page's form in the middle."""
    form = re.search(r"<form[^>]*\shx-post.*?</form>", page, flags=re.DOTALL)[0]
    return dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form))


def csrf(page: str) -> dict[str, str]:
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert found
    return {"csrfmiddlewaretoken": found[1]}


def open_panel(stack: RunningStack, browser: requests.Session, path: str = PAGE) -> list[list[str]]:
    """The rows of a page's panel."""
    return table(panel_of(stack, browser, browser.get(stack.url("energy", path), timeout=10).text))


def panel_of(
    stack: RunningStack, browser: requests.Session, page: str, *, panel: str = "QueriesPanel", request: str = ""
) -> str:
    """The HTML of a panel of a page that a browser has got, or of another request in its history."""
    found = re.search(r'data-request-id="([^"]+)"', page)
    assert found, "the page carries the toolbar"
    app = re.search(r'data-app="(\w+)"', page)[1]
    asked = {"request_id": request or found[1], "panel_id": panel}
    response = browser.get(stack.url(app, "/__debug__/render_panel/"), params=asked, timeout=10)
    content: str = response.json()["content"]
    return content


def table(content: str) -> list[list[str]]:
    """The texts of the cells of the rows in the panel's table."""
    whole = re.search(r'<table class="portal-queries">.*?<tbody>(.*?)</tbody>', content, flags=re.DOTALL)[1]
    rows = re.findall(r"<tr[^>]*>\s*<t[dh][^>]*>(.*?)</tr>", whole, flags=re.DOTALL)
    return [
        [html.unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in re.split(r"</t[dh]>", row)[:-1]]
        for row in rows
    ]


def test_panel_shows_each_query_with_its_outcome(energy: RunningStack, browser: requests.Session) -> None:
    open_panel(energy, browser)
    open_panel(energy, browser)
    rows = open_panel(energy, browser)
    names = ("user.get_me", "energy.get_clients", "energy.get_clients_counts")
    assert {row[0].partition(",")[0].strip('["'): row[1] for row in rows} == dict.fromkeys(names, "hit")
    row = next(row for row in rows if '"energy.get_clients"' in row[0])
    assert row[0] == '["energy.get_clients", {}, "paginated", 20, "limit"]'
    assert row[4:7] == ["1", "0", ""]
    rows = open_panel(energy, browser, f"{CLIENTS}/nobody")
    assert next(row for row in rows if "get_client" in row[0])[6] == "ApiNotFoundError"


def test_history_leads_to_the_write_of_a_form(energy: RunningStack, browser: requests.Session) -> None:
    form = energy.url("energy", f"{CLIENTS}/new")
    fields = {"name": "Panel", "email": "panel@example.com", **hidden(browser.get(form, timeout=10).text)}
    answer = browser.post(form, data=fields, allow_redirects=False, timeout=10)
    assert answer.status_code == 303
    page = browser.get(energy.url("energy", answer.headers["Location"]), timeout=10).text
    history = panel_of(energy, browser, page, panel="HistoryPanel")
    shown = [panel_of(energy, browser, page, request=found) for found in set(re.findall("[0-9a-f]{32}", history))]
    assert any(["energy.create_client", "done"] in [row[:2] for row in table(content)] for content in shown)


def test_history_keeps_no_form(energy: RunningStack) -> None:
    login = energy.url("auth_app", "/en/login")
    with requests.Session() as session:
        wrong = {"email": "energy@example.com", "password": "a secret", **csrf(session.get(login, timeout=10).text)}
        answer = session.post(login, data=wrong, timeout=10)
        content = panel_of(energy, session, answer.text, panel="HistoryPanel")
    assert "/en/login" in content
    assert "POST" in content
    assert "a secret" not in content
    assert "energy@example.com" not in content


def test_toolbar_is_absent_without_debug_and_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_DEBUG_TOOLBAR", "on")
    assert not read_config("energy").debug_toolbar, "DEBUG is off in these tests"
    monkeypatch.setenv("DEBUG", "on")
    assert read_config("energy").debug_toolbar
    monkeypatch.setenv("APP_DEBUG_TOOLBAR", "off")
    assert not read_config("energy").debug_toolbar
    built = build_settings(dataclasses.replace(settings.PORTAL, debug_toolbar=False))
    assert not any("toolbar" in name for name in [*built["INSTALLED_APPS"], *built["MIDDLEWARE"], *built])
