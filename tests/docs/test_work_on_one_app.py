"""The how-to on work on one app: its commands do what it says, as they are typed in a fresh clone."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from portal.config.projects import PROJECT_BY_APP
from portal.server.ports import answers, port_is_free
from tests.support.checkout_copy import fresh_clone
from tests.support.doc_blocks import blocks_of, command_lines
from tests.support.harness import ROOT
from tests.support.linked_environment import link_environment
from tests.support.local_run import PATIENCE_S, Run
from tests.support.ports import free_port_base
from tests.support.terminal import Terminal

PAGE = ROOT / "docs" / "how-to" / "work-on-one-app.md"
ALL, WITHOUT, BY_HAND = "make dev", "make dev without=finance", "./manage.py --app finance runserver"
WITH_TOOLBAR = "APP_DEBUG_TOOLBAR=on make dev"
#: tests/docs/test_blocks.py runs it.
TESTS = "make test-finance"


def test_these_are_the_commands_of_the_page() -> None:
    typed = [line for block in blocks_of(PAGE) for line in command_lines(block.code)]
    assert typed == [ALL, WITHOUT, BY_HAND, WITH_TOOLBAR, TESTS]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A fresh clone after `make install`."""
    made = fresh_clone(tmp_path / "portal")
    link_environment(made)
    return made


@contextlib.contextmanager
def typed(command: str, clone: Path) -> Iterator[Run]:
    run = Run(clone.parent, free_port_base(), checkout=clone, typed=command)
    try:
        run.wait_for("ready", seconds=120)
        yield run
    finally:
        run.end()


def port_of(run: Run, app: str) -> int:
    return run.port_base + PROJECT_BY_APP[app].port_offset


def get(run: Run, app: str, path: str) -> str:
    with contextlib.suppress(requests.ConnectionError):
        return requests.get(f"http://localhost:{port_of(run, app)}{path}", timeout=PATIENCE_S).text
    return ""


def test_what_is_saved_shows_and_a_page_carries_the_toolbar(clone: Path) -> None:
    with typed(WITH_TOOLBAR, clone) as run:
        assert "djDebug" in get(run, "auth_app", "/en/login")
        assert "#QueriesPanel" in get(run, "auth_app", "/static/portal_dev/queries.css")
        form = clone / "packages" / "portal_gateway" / "forms.py"
        form.write_text(form.read_text().replace('_("Email")', '_("Electronic mail")'))
        run.wait_until(lambda: "Electronic mail" in get(run, "auth_app", "/en/login"), what="the new label")


def test_an_app_that_is_left_out_runs_by_hand_with_a_debugger(clone: Path) -> None:
    view = clone / "apps" / "finance" / "views" / "overview.py"
    stopping, changed = re.subn(r'(\ndef overview\(.*\n    """.*"""\n)', r"\1    breakpoint()\n", view.read_text())
    assert changed == 1
    view.write_text(stopping)
    with typed(WITHOUT, clone) as run:
        port = port_of(run, "finance")
        assert f"  finance      http://localhost:{port}   left out: {BY_HAND}" in run.lines
        assert port_is_free("127.0.0.1", port)
        terminal = Terminal(BY_HAND, folder=clone, variables=run.variables)
        try:
            run.wait_until(lambda: answers(port), what="finance answers on its own port")
            with requests.Session() as browser, ThreadPoolExecutor() as pool:
                sign_in(browser, gateway=f"http://localhost:{port_of(run, 'auth_app')}")
                answer = pool.submit(browser.get, f"http://localhost:{port}/en/finance", timeout=PATIENCE_S)
                terminal.wait_for("(Pdb) ")
                terminal.type("p request.path, request.api_deadline.remaining() > 3600")
                terminal.wait_for("('/en/finance', True)")
                terminal.wait_for("(Pdb) ")
                terminal.type("c")
                response = answer.result(timeout=PATIENCE_S)
            assert response.status_code == 200
            assert 'data-pathname="/en/finance"' in response.text
        finally:
            terminal.close()
        assert answers(port_of(run, "energy")), "the others stay up"
        assert run.process.poll() is None


def sign_in(browser: requests.Session, *, gateway: str) -> None:
    form = browser.get(f"{gateway}/en/login", timeout=PATIENCE_S).text
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form)[1]
    fields = {"email": "finance@example.com", "password": "demo", "csrfmiddlewaretoken": token}
    answer = browser.post(f"{gateway}/en/login", data=fields, allow_redirects=False, timeout=PATIENCE_S)
    assert answer.status_code == 303
