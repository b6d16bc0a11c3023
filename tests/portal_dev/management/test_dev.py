"""`manage.py run --reload`, which is `make dev`: what is saved in a copy of the checkout shows in its servers."""

from __future__ import annotations

import contextlib
import http.client
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from portal.config.projects import PROJECT_BY_APP, PROJECTS
from portal.server.ports import answers
from portal_dev.local_servers.local_stack import BACKEND
from tests.support.checkout_copy import copy_of_checkout
from tests.support.local_run import Run
from tests.support.ports import free_port_base

APPS = [project.app for project in PROJECTS]
ENDED = "{} has ended with status 1; the next change of its code starts it again"
BROKEN = "\nthis is no Python\n"


class Stack:
    """A run with reload in a copy of the checkout."""

    def __init__(self, folder: Path) -> None:
        self.code = copy_of_checkout(folder / "copy")
        self.run: Run
        self.folder = folder

    def start(self, *options: str) -> None:
        self.run = Run(self.folder, free_port_base(), "--reload", *options, checkout=self.code)

    def port(self, app: str) -> int:
        return self.run.port_base + PROJECT_BY_APP[app].port_offset

    def get(self, app: str, path: str) -> str:
        """The body of a page; empty while the server is starting."""
        try:
            return self.answer(app, path)[1]
        except OSError:
            return ""

    def answer(self, app: str, path: str, *, host: str = "localhost") -> tuple[int, str]:
        """Status and body. A connection that is refused or cut is an error."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port(app), timeout=60)
        try:
            connection.request("GET", path, headers={"Accept": "text/html", "Host": host})
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def pids(self) -> dict[str, int]:
        """Server name to the process id of its leader."""
        found = {}
        for pid in self.run.left_behind():
            # A process that ends while it is looked at leads no server.
            with contextlib.suppress(OSError):
                words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
                leads = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[2] == str(pid)
                name = words[words.index("--app") + 1] if "--app" in words else BACKEND if BACKEND in words else ""
                if leads and name:
                    found[name] = pid
        return found

    def edit(self, path: str, old: str, new: str) -> None:
        file = self.code / path
        text = file.read_text()
        assert old in text, f"{path} has changed, and this test with it"
        file.write_text(text.replace(old, new, 1))

    def append(self, path: str, text: str) -> None:
        file = self.code / path
        file.write_text(file.read_text() + text)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """All servers. Finance could not be imported when they were started; the others start all the same."""
    made = Stack(tmp_path_factory.mktemp("dev"))
    made.append("apps/finance/urls.py", BROKEN)
    made.start()
    with made.run:
        made.run.wait_for("ready", seconds=120)
        assert {app for app in APPS if answers(made.port(app))} == {*APPS} - {"finance"}
        made.run.wait_for(ENDED.format("finance"), seconds=60)
        made.edit("apps/finance/urls.py", BROKEN, "")
        made.run.wait_until(lambda: answers(made.port("finance")), what="finance answers")
        yield made


def restarted(stack: Stack, path: str) -> set[str]:
    """Names of the servers that a change of this file restarts."""
    stack.run.wait_until(lambda: all(map(answers, stack.run.ports)), what="all servers answer")
    before, lines = stack.pids(), len(stack.run.lines)
    stack.append(path, "\n")
    said = f"{Path(path).name} changed: restarting "
    stack.run.wait_until(lambda: any(line.startswith(said) for line in stack.run.lines[lines:]), what=said)
    stack.run.wait_until(lambda: all(map(answers, stack.run.ports)), what="all servers answer again")
    after = stack.pids()
    assert before.keys() == after.keys() == {*APPS, BACKEND}
    return {name for name, pid in after.items() if before[name] != pid}


@pytest.mark.parametrize(
    ("path", "servers"),
    [
        ("apps/finance/views/overview.py", {"finance"}),
        ("packages/sandbox_api/health.py", {BACKEND}),
        ("packages/portal/services/finance/invoices.py", set(APPS)),
        ("packages/portal_pages/search.py", set(APPS)),
        ("apps/locale/de/LC_MESSAGES/django.po", set(APPS)),
        ("packages/sqlite_cache/serializer.py", set(APPS)),
    ],
)
def test_a_change_restarts_the_servers_that_run_the_file(stack: Stack, path: str, servers: set[str]) -> None:
    assert restarted(stack, path) == servers


GATEWAY = "packages/portal_gateway"
WEB = "packages/portal/web/templates/portal"


@pytest.mark.parametrize(
    ("change", "page", "restarts"),
    [
        ((f"{GATEWAY}/templates/auth_app/login.html", "<h1>", "<h1 id=new-page>"), "/en/login", False),
        ((f"{WEB}/plain.html", "<header", "<header id=new-layout"), "/en/login", False),
        ((f"{GATEWAY}/static/auth_app/app.css", "@import", "/* new */ @import"), "/static/auth_app/app.css", False),
        ((f"{WEB}/icons/logo.svg", "<svg", "<svg data-new-icon"), "/en/login", True),
        ((f"{GATEWAY}/locale/de/LC_MESSAGES/django.po", "Anmelden", "Eintreten"), "/de/login", True),
    ],
)
def test_what_a_page_is_made_of_shows_when_it_is_saved_a_template_or_style_without_a_restart(
    stack: Stack, change: tuple[str, str, str], page: str, restarts: bool
) -> None:
    new = change[2]
    stack.run.wait_until(lambda: answers(stack.port("auth_app")), what="the gateway answers")
    before = stack.pids()
    assert new not in stack.get("auth_app", page)
    stack.edit(*change)
    stack.run.wait_until(lambda: new in stack.get("auth_app", page), what=new)
    assert restarts or stack.pids() == before


def test_what_is_asked_for_while_code_restarts_waits(stack: Stack) -> None:
    stack.run.wait_until(lambda: answers(stack.port("finance")), what="finance answers")
    before, statuses, cut = stack.pids()["finance"], set(), []

    def is_new() -> bool:
        try:
            statuses.add(stack.answer("finance", "/en/login")[0])
        except ConnectionResetError as error:
            cut.append(error)
        return stack.pids().get("finance", before) != before

    stack.append("apps/finance/proxy.py", "\n")
    stack.run.wait_until(is_new, what="a new server of finance")
    statuses.add(stack.answer("finance", "/en/login")[0])
    assert statuses == {302}
    assert len(cut) <= 1, "the one that the old server had in hand when it was ended"


def test_a_mistake_is_shown_in_the_browser_until_it_is_mended(stack: Stack, browser: Browser) -> None:
    stack.run.wait_until(lambda: answers(stack.port("finance")), what="finance answers")
    stack.append("apps/finance/urls.py", BROKEN)
    stack.run.wait_until(lambda: stack.answer("finance", "/en/login")[0] == 503, what="a page about the mistake")
    page = browser.new_page()
    page.goto(f"http://localhost:{stack.port('finance')}/en/login")
    assert "finance does not start" in page.title()
    assert "urls.py" in page.inner_text("pre")
    assert "SyntaxError" in page.inner_text("pre")
    assert stack.answer("finance", "/en/login", host="evil.example") == (503, "")
    stack.edit("apps/finance/urls.py", BROKEN, "\nraise LookupError('another one')\n")
    page.get_by_text("another one").wait_for()
    stack.edit("apps/finance/urls.py", "\nraise LookupError('another one')\n", "")
    # The page asks again by itself, and may be about to when the servers are back: its own navigation is ended then.
    sign_in = re.compile(rf"^http://localhost:{stack.port('auth_app')}/en/login")
    expect(page).to_have_url(sign_in, timeout=30_000)
    page.close()


def test_a_mistake_in_a_saved_file_stops_its_server_alone_until_the_next_save(stack: Stack) -> None:
    stack.run.wait_until(lambda: all(map(answers, stack.run.ports)), what="all servers answer")
    others = {name: pid for name, pid in stack.pids().items() if name != "operations"}
    stack.append("apps/operations/settings.py", BROKEN)
    stack.run.wait_for(ENDED.format("operations"), seconds=60)
    assert any("settings.py" in line for line in stack.run.lines)
    assert others == stack.pids(), "the others go on"
    stack.edit("apps/operations/settings.py", BROKEN, "")
    stack.run.wait_until(lambda: answers(stack.port("operations")), what="operations answers again")
    assert others.items() <= stack.pids().items()
