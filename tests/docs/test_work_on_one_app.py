"""Commands of the how-to on one app, typed in a copy of the checkout."""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from portal.config.projects import PROJECT_BY_APP
from portal_server.ports import answers, port_is_free
from tests.support.harness import prepare_sandbox
from tests.support.http_browser import HttpBrowser
from tests.support.linked_environment import copy_with_environment
from tests.support.local_run import PATIENCE_S, Run
from tests.support.ports import free_port_base

WITHOUT, BY_HAND = "make dev without=finance", "./manage.py --app finance runserver"
WITH_TOOLBAR = "APP_DEBUG_TOOLBAR=on make dev"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy after `make install`."""
    return copy_with_environment(tmp_path / "portal", whole=True)


@contextlib.contextmanager
def typed(command: str, copy: Path) -> Iterator[Run]:
    prepare_sandbox({"SANDBOX_STATE_DIR": str(copy.parent / "sandbox")})
    with Run(copy.parent, free_port_base(), checkout=copy, typed=command) as run:
        run.wait_for("ready", seconds=120)
        yield run


def port_of(run: Run, app: str) -> int:
    return run.port_base + PROJECT_BY_APP[app].port_offset


def get(run: Run, app: str, path: str) -> str:
    with contextlib.suppress(requests.ConnectionError):
        return requests.get(f"http://localhost:{port_of(run, app)}{path}", timeout=PATIENCE_S).text
    return ""


def test_saved_code_shows_and_pages_have_the_toolbar(copy: Path) -> None:
    with typed(f"{WITH_TOOLBAR} without='energy operations finance'", copy) as run:
        assert "djDebug" in get(run, "auth_app", "/en/login")
        assert "#QueriesPanel" in get(run, "auth_app", "/static/portal_dev/queries.css")
        form = copy / "packages" / "portal_gateway" / "forms.py"
        form.write_text(form.read_text().replace('_("Email")', '_("Electronic mail")'))
        run.wait_until(lambda: "Electronic mail" in get(run, "auth_app", "/en/login"), what="the new label")


def test_left_out_app_runs_by_hand_with_debugger(copy: Path) -> None:
    view = copy / "apps" / "finance" / "views" / "overview.py"
    stopping, changed = re.subn(r'(\ndef overview\(.*\n    """.*"""\n)', r"\1    breakpoint()\n", view.read_text())
    assert changed == 1
    view.write_text(stopping)
    with typed(WITHOUT, copy) as run:
        port = port_of(run, "finance")
        assert f"http://localhost:{port}" not in "\n".join(run.lines)
        assert port_is_free("127.0.0.1", port)
        with Run(copy.parent / "finance", run.port_base, checkout=copy, typed=BY_HAND) as by_hand:
            run.wait_until(lambda: answers(port), what="finance answers on its own port")
            by_hand.process.stdin.write("p request.path, request.api_deadline.remaining() > 3600\nc\n")
            by_hand.process.stdin.flush()
            with HttpBrowser() as browser:
                browser.sign_in(f"http://localhost:{port_of(run, 'auth_app')}", email="finance@example.com")
                page = browser.get(f"http://localhost:{port}/en/finance")
            assert 'data-pathname="/en/finance"' in page.text
            assert "(Pdb) ('/en/finance', True)" in by_hand.lines
        assert answers(port_of(run, "energy")), "the others stay up"
        assert run.process.poll() is None
