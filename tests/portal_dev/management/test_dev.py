"""`manage.py run --reload`, which is `make dev`: what is saved in a copy of the checkout shows in its servers."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from portal.config.projects import PROJECT_BY_APP
from portal_dev.local_servers.local_stack import BACKEND
from portal_server.ports import answers
from tests.support.checkout_copy import copy_of_checkout
from tests.support.harness import prepare_sandbox
from tests.support.local_run import Run
from tests.support.ports import free_port_base

APPS = ("auth_app", "finance")
ENDED = "{} has ended with status 1; the next change of its code starts it again"
BROKEN = "\nthis is no Python\n"


class Stack:
    """A run with reload in a copy of the checkout."""

    def __init__(self, folder: Path) -> None:
        self.code = copy_of_checkout(folder / "copy")
        self.run: Run
        self.folder = folder

    def start(self) -> None:
        left_out = ("--without", *(PROJECT_BY_APP.keys() - {*APPS}))
        self.run = Run(self.folder, free_port_base(), "--reload", *left_out, checkout=self.code)

    def port(self, app: str) -> int:
        return self.run.port_base + PROJECT_BY_APP[app].port_offset

    def get(self, app: str, path: str) -> str:
        """The body of a page; empty while the server is starting."""
        with contextlib.suppress(OSError):
            address = f"http://127.0.0.1:{self.port(app)}{path}"
            return requests.get(address, headers={"Host": "localhost"}, timeout=60).text
        return ""

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
    """Servers of two apps. Finance could not be imported at their start; the others start, and go on when it is mended."""
    made = Stack(tmp_path_factory.mktemp("dev"))
    made.append("apps/finance/urls.py", BROKEN)
    prepare_sandbox({"SANDBOX_STATE_DIR": str(made.folder / "sandbox")})
    made.start()
    with made.run:
        made.run.wait_for("ready", seconds=120)
        made.run.wait_for(ENDED.format("finance"), seconds=60)
        assert any("finance/urls.py" in line for line in made.run.lines)
        others = made.pids()
        assert others.keys() == {"auth_app", BACKEND}
        made.edit("apps/finance/urls.py", BROKEN, "")
        made.run.wait_until(lambda: answers(made.port("finance")), what="finance answers")
        assert made.pids().items() > others.items()
        yield made


def test_change_restarts_the_server_that_runs_it(stack: Stack) -> None:
    before = stack.pids()
    stack.append("packages/sandbox_api/health.py", "\n")
    stack.run.wait_for(f"health.py changed: restarting {BACKEND}", seconds=60)
    stack.run.wait_until(lambda: answers(stack.run.ports[-1]), what="the backend answers again")
    after = stack.pids()
    assert before.keys() == after.keys()
    assert {name for name, pid in after.items() if before[name] != pid} == {BACKEND}


GATEWAY = "packages/portal_gateway"


@pytest.mark.parametrize(
    ("change", "page", "restarts"),
    [
        ((f"{GATEWAY}/templates/auth_app/login.html", "<h1>", "<h1 id=new-page>"), "/en/login", False),
        ((f"{GATEWAY}/static/auth_app/app.css", "@import", "/* new */ @import"), "/static/auth_app/app.css", False),
        ((f"{GATEWAY}/locale/de/LC_MESSAGES/django.po", "Anmelden", "Eintreten"), "/de/login", True),
    ],
)
def test_saved_template_style_or_catalog_shows(
    stack: Stack, change: tuple[str, str, str], page: str, restarts: bool
) -> None:
    new = change[2]
    before = stack.pids()
    assert new not in stack.get("auth_app", page)
    stack.edit(*change)
    stack.run.wait_until(lambda: new in stack.get("auth_app", page), what=new)
    assert restarts or stack.pids() == before
