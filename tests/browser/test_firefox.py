"""Lists, forms and reloads in a real Firefox. Its console stays empty of errors."""

from collections.abc import Iterator

import pytest

from tests.browser.conftest import created_by_someone_else
from tests.browser.firefox import Firefox, firefox
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
def signed_in(stack: RunningStack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with firefox(require_tool("firefox-esr", "firefox"), folder=tmp_path_factory.mktemp("firefox")) as fox:
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


def test_list_is_found_again_as_it_was(stack: RunningStack, fox: Firefox) -> None:
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
    # htmx loads it again. A test that went on meanwhile would cut its scripts off.
    fox.run("window.beforeReload = true; history.back()")
    fox.wait_until(f"return !window.beforeReload && location.search == '?status=available' && {LOADED}")


def test_form_returns_as_the_server_wrote_it(stack: RunningStack, fox: Firefox) -> None:
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
def test_reload_asks_once_and_shows_new_rows(stack: RunningStack, fox: Firefox, command: str) -> None:
    fox.open(stack.url("energy", "/en/energy/clients"))
    fox.reload("Browser:Reload")  # another test may have read it five minutes ago
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
