"""The main journeys in a real Firefox: a list, a file, a form, a reload. Its console stays empty of errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import created_by_someone_else
from tests.browser.firefox import Firefox, firefox
from tests.portal.server.processes import until
from tests.support.harness import RunningStack, require_tool

pytestmark = pytest.mark.browser

#: What scripts of our pages, and their Content-Security-Policy, complain of. A browser's own notes are no errors.
COMPLAINTS = """
const found = Services.console.getMessageArray();
Services.console.reset();
return found.filter((one) => one instanceof Ci.nsIScriptError && !(one.flags & Ci.nsIScriptError.warningFlag))
  .filter((one) => one.sourceName.startsWith("http://localhost")).map((one) => one.errorMessage);
"""
#: What htmx has put into the page answers to a click only when these marks are gone; a link is a plain one until then.
SETTLED = "!document.querySelector('.htmx-request, .htmx-swapping, .htmx-added, .htmx-settling')"
LOADED = "document.readyState == 'complete'"
ROWS = "document.querySelectorAll('#rows > tr')"


@pytest.fixture(scope="module")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="module")
def signed_in(stack: RunningStack, tmp_path_factory: pytest.TempPathFactory, downloads: Path) -> Iterator[Firefox]:
    preferences: dict[str, Any] = {
        "browser.download.folderList": 2,
        "browser.download.dir": str(downloads),
        "browser.download.always_ask_before_handling_new_types": False,
        "browser.download.panel.shown": True,
    }
    folder = tmp_path_factory.mktemp("firefox")
    with firefox(require_tool("firefox-esr", "firefox"), folder=folder, **preferences) as fox:
        fox.open(stack.url("auth_app", "/en/login"))
        fox.type("input[name=email]", "energy@example.com")
        fox.type("input[name=password]", "demo")
        fox.click("form:has(input[name=email]) button")
        fox.wait_until(f"return location.pathname == '/en/energy' && {LOADED}")
        yield fox


@pytest.fixture
def fox(signed_in: Firefox) -> Iterator[Firefox]:
    """The browser. Nothing may complain."""
    signed_in.in_chrome(COMPLAINTS)
    yield signed_in
    assert signed_in.in_chrome(COMPLAINTS) == []


def test_a_list_is_narrowed_loads_more_and_is_found_again_as_it_was(stack: RunningStack, fox: Firefox) -> None:
    fox.open(stack.url("energy", "/en/energy/chargers"))
    fox.click("label:has([value=available])")
    fox.wait_until("return location.search == '?status=available'")
    fox.type("#search", "h")
    fox.type("#search", "a")
    fox.wait_until(f"return location.search == '?q=ha&status=available' && {SETTLED}")
    fox.click("#load-more")
    fox.wait_until(f"return location.search == '?q=ha&status=available&pages=2' && {ROWS}.length == 40")
    opened = fox.run(f"return {ROWS}[35].dataset.rowId")
    fox.run(f"{ROWS}[35].querySelector('a').click()")
    fox.wait_until(f"return document.querySelector('a.back') && {LOADED}")
    fox.back()
    fox.wait_until(f"return {ROWS}.length == 40")
    fox.wait_until("return document.activeElement.closest('tr')?.dataset.rowId == arguments[0]", opened)
    fox.run("history.back()")
    fox.wait_until(f"return location.search == '?status=available' && {LOADED}")


def test_an_export_is_saved_whole(stack: RunningStack, fox: Firefox, downloads: Path) -> None:
    fox.open(stack.url("energy", "/en/energy/sessions?status=failed"))
    total = fox.run("return document.querySelector('.more-facts').innerText.match(/([\\d,]+) entr/)[1]")
    fox.click("#list-export")
    files = downloads.glob
    until(lambda: any(path.stat().st_size for path in files("*.csv")) and not any(files("*.part")), what="it is saved")
    (saved,) = files("*.csv")
    assert saved.name.startswith("Charging sessions 20")
    content = saved.read_bytes()
    assert content.count(b"\n") == 1 + int(total.replace(",", ""))
    assert content.endswith(b"\r\n"), "the mark of its end is not saved"


def test_a_form_leads_back_to_what_was_typed_and_on_to_the_record(stack: RunningStack, fox: Firefox) -> None:
    fox.open(stack.url("energy", "/en/energy/clients/new"))
    fox.type("main [name=name]", "Firefox Friend")
    fox.click("button[name=locale][value=de]")
    fox.wait_until(f"return location.pathname == '/de/energy/clients/new' && {LOADED}")
    assert fox.run("return document.querySelector('main [name=name]').value") == "Firefox Friend"
    fox.type("main [name=email]", "fox@example.com")
    fox.click("main form button[type=submit]")
    fox.wait_until(f"return location.pathname.startsWith('/de/energy/clients/cli_') && {LOADED}")
    fox.wait_until("return document.querySelector('h1').textContent == 'Firefox Friend'")


def test_a_reload_and_a_return_bring_a_form_as_the_server_wrote_it(stack: RunningStack, fox: Firefox) -> None:
    fox.open(stack.url("energy", "/en/energy/clients"))
    fox.click("[data-row-id] th a")
    fox.wait_until(f"return document.querySelector('[data-shortcut=e]') && {LOADED}")
    edit = fox.run("return document.querySelector('[data-shortcut=e]').href")
    hidden = "[...document.querySelectorAll('main form [type=hidden]:not([name=csrfmiddlewaretoken])')]"
    changed = f"return {hidden}.filter(each => each.value == 'of another form').length"
    for leave in (
        lambda: fox.reload("Browser:Reload"),
        lambda: (fox.open(stack.url("energy", "/en/help")), fox.back()),
    ):
        fox.open(edit)
        assert fox.run(f"{hidden}.forEach(each => each.value = 'of another form'); {changed}") > 3
        leave()
        fox.wait_until(f"return location.pathname.endsWith('/edit') && {LOADED}")
        assert fox.run(changed) == 0


@pytest.mark.parametrize("command", ["Browser:Reload", "Browser:ReloadSkipCache"])
def test_a_reload_shows_what_another_user_created_and_asks_once(
    stack: RunningStack, fox: Firefox, command: str
) -> None:
    fox.open(stack.url("energy", "/en/energy/clients"))
    made = created_by_someone_else(stack)
    shows = f"return !!document.querySelector('[data-row-id=\"{made}\"]')"
    fox.click("[data-row-id] th a")
    fox.wait_until(f"return document.querySelector('a.back') && {LOADED}")
    before = stack.proxy.calls_of("/energy/clients")
    fox.back()
    fox.wait_until(f"return location.pathname.endsWith('/clients') && {LOADED}")
    assert not fox.run(shows), "five minutes are not over"
    assert stack.proxy.calls_of("/energy/clients") == before
    fox.reload(command)
    assert fox.run(shows)
    assert stack.proxy.calls_of("/energy/clients") == before + 1
