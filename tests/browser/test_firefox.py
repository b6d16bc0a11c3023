"""The main journeys in a real Firefox: a file, an overview, a record, the profile. Its console stays empty of errors."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.firefox import Firefox, firefox
from tests.support.harness import RunningStack, require_tool

pytestmark = pytest.mark.browser

NewAccount = Callable[..., str]
PATIENCE_S = 60
#: What scripts of our pages, and their Content-Security-Policy, complain of. A browser's own notes are no errors.
COMPLAINTS = """
const found = Services.console.getMessageArray();
Services.console.reset();
return found.filter((one) => one instanceof Ci.nsIScriptError && !(one.flags & Ci.nsIScriptError.warningFlag))
  .filter((one) => one.sourceName.startsWith("http://localhost")).map((one) => one.errorMessage);
"""
PRESS = """
const [scope, text] = arguments;
const found = [...document.querySelectorAll(`${scope} button, ${scope} a`)].find((one) => one.innerText.trim().startsWith(text));
found.click();
return true;
"""


@pytest.fixture(scope="module")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory, downloads: Path) -> Iterator[Firefox]:
    preferences: dict[str, Any] = {
        "browser.download.folderList": 2,
        "browser.download.dir": str(downloads),
        "browser.download.always_ask_before_handling_new_types": False,
        "browser.download.panel.shown": True,
    }
    folder = tmp_path_factory.mktemp("firefox")
    with firefox(require_tool("firefox-esr", "firefox"), folder=folder, **preferences) as started:
        yield started


@pytest.fixture
def fox(browser: Firefox) -> Iterator[Firefox]:
    """The browser, signed out. Nothing may complain."""
    browser.command("WebDriver:DeleteAllCookies")
    browser.in_chrome(COMPLAINTS)
    yield browser
    assert browser.in_chrome(COMPLAINTS) == []


def sign_in(fox: Firefox, stack: RunningStack, account: str) -> None:
    fox.open(stack.url("auth_app", "/en/login"))
    fox.type("input[name=email]", f"{account}@example.com")
    fox.type("input[name=password]", "demo")
    fox.click("form:has(input[name=email]) button")
    fox.wait_until("return location.pathname != '/en/login' && document.readyState == 'complete'")


def text_of(fox: Firefox, selector: str) -> str:
    return str(fox.run("return document.querySelector(arguments[0]).innerText", selector))


def test_an_export_is_saved_whole(stack: RunningStack, fox: Firefox, downloads: Path) -> None:
    sign_in(fox, stack, "energy")
    fox.open(stack.url("energy", "/en/energy/sessions?status=failed"))
    total = fox.run("return document.querySelector('.more-facts').innerText.match(/([\\d,]+) entr/)[1]")
    fox.click("#list-export")
    (saved,) = until(lambda: [path for path in downloads.glob("*.csv") if path.stat().st_size and not parts(downloads)])
    assert saved.name.startswith("Charging sessions 20")
    content = saved.read_bytes()
    assert content.count(b"\n") == 1 + int(total.replace(",", ""))
    assert content.endswith(b"\r\n"), "the mark of its end is not saved"


def parts(folder: Path) -> list[Path]:
    """Downloads that are under way."""
    return list(folder.glob("*.part"))


def until(found: Callable[[], list[Path]]) -> list[Path]:
    pause = threading.Event()
    for _ in range(PATIENCE_S * 20):
        if those := found():
            return those
        pause.wait(0.05)
    raise AssertionError("no file was saved")


def test_an_overview_has_periods_and_a_part_that_renews_itself(stack: RunningStack, fox: Firefox) -> None:
    sign_in(fox, stack, "energy")
    fox.run(PRESS, ".period", "7 days")
    fox.wait_until("return location.search == '?period=7d' && document.readyState == 'complete'")
    assert fox.run("return document.querySelector('.chart').querySelectorAll('.bar').length") == 7
    fox.run("document.querySelector('#period-from').value = '2026-01-01'")
    fox.run("document.querySelector('#period-to').value = '2026-01-31'")
    fox.run(PRESS, ".period", "Show")
    fox.wait_until("return location.search == '?from=2026-01-01&to=2026-01-31' && document.readyState == 'complete'")
    # The clock of the part ticks every 30 s. This is what it does then.
    fox.run("document.querySelector('#live').firstElementChild.dataset.before = ''; htmx.trigger('#live', 'live')")
    fox.wait_until(
        "return document.querySelector('#live').firstElementChild && !document.querySelector('[data-before]')"
    )
    fox.click("[data-live-pause]")
    assert fox.run("return document.querySelector('[data-live-pause]').ariaPressed") == "true"


def test_a_record_shows_what_belongs_to_it_and_its_facts_are_copied(stack: RunningStack, fox: Firefox) -> None:
    sign_in(fox, stack, "energy")
    fox.open(stack.url("energy", "/en/energy/stations"))
    fox.click("[data-row-id] th a")
    fox.wait_until("return document.querySelectorAll('#sessions [data-row-id]').length == 5")
    fox.click("[data-copy]")
    fox.wait_until("return document.querySelector('[data-copy]').dataset.done == ''")
    fox.run(PRESS, "#sessions", "Show all")
    fox.wait_until("return location.search.startsWith('?stationId=sta_') && document.readyState == 'complete'")


def test_a_work_order_is_started_and_the_start_undone(stack: RunningStack, fox: Firefox) -> None:
    sign_in(fox, stack, "operations")
    fox.open(stack.url("operations", "/en/operations/work-orders/new"))
    fox.type("main [name=title]", "Undo me, Firefox")
    fox.click("main form button[type=submit]")
    fox.wait_until("return location.pathname == '/en/operations/work-orders' && document.readyState == 'complete'")
    fox.click("[data-row-id] th a")
    fox.wait_until("return document.querySelector('h1').innerText == 'Undo me, Firefox'")
    for button, status in (("Start", "In progress"), ("Undo", "Open")):
        fox.wait_until(PRESS, "body", button)
        fox.wait_until("return document.querySelector('main .badge').innerText == arguments[0]", status)


def test_the_profile_has_a_name_a_zone_and_a_theme(stack: RunningStack, fox: Firefox, new_account: NewAccount) -> None:
    sign_in(fox, stack, new_account("ENERGY_APP"))
    fox.open(stack.url("auth_app", "/en/profile"))
    fox.run("document.querySelector('main [name=name]').value = ''")
    fox.type("main [name=name]", "Franziska of Köln")
    fox.run(PRESS, "main", "Change name")
    fox.wait_until("return document.querySelector('h1').innerText == 'Franziska of Köln'")
    fox.run("document.querySelector('#id_timeZone, [name=timeZone]').value = 'Pacific/Chatham'")
    fox.click("label:has([value=dark])")
    fox.run(PRESS, "main", "Save settings")
    fox.wait_until("return document.documentElement.dataset.theme == 'dark' && document.readyState == 'complete'")
    fox.open(stack.url("energy", "/en/energy/sessions"))
    assert fox.run("return document.documentElement.dataset.theme") == "dark"
    assert re.search(r"GMT\+1[23]:45", text_of(fox, "[data-as-of]"))
