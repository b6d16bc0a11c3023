"""The runbooks: each has the same form, and its commands print what the page says, in the situation that it is about."""

import contextlib
import dataclasses
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import jwt
import pytest

from portal.config.cookies import VAR_ACCESS_TOKEN
from portal_dev.local_servers.local_stack import BACKEND
from tests.portal_server.processes import until
from tests.support.doc_blocks import blocks_of
from tests.support.harness import ROOT, RunningStack, running_stack
from tests.support.http_browser import HttpBrowser
from tests.support.linked_environment import run_typed

FOLDER: Final = ROOT / "docs" / "runbooks"
PAGES: Final = sorted(FOLDER.glob("*.md"))
FORM: Final = ["What you see", "What it means for users", "Check", "Do", "Afterwards", "Prevent"]
CLIENTS: Final = "/en/energy/clients"


def sections(page: Path) -> dict[str, str]:
    """The parts of a page, by their headings."""
    parts = re.split(r"^## (.+)$", page.read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_runbooks_have_one_form_a_situation_and_alerts_that_exist() -> None:
    assert [page.stem for page in PAGES if list(sections(page)) != FORM] == []
    assert {page.stem for page in PAGES} == set(SITUATIONS)
    rules = (ROOT / "deploy" / "prometheus" / "portal-alerts.yml").read_text()
    for page in PAGES:
        assert set(re.findall(r"`(Portal\w+)`", page.read_text())) <= set(re.findall(r"alert: (\w+)", rules)), page


@dataclasses.dataclass
class World:
    """Running servers with a person who is signed in, and a shell as an operator has one.

    :ivar words: what stands on a page as an example, and what is in its place here.
    """

    stack: RunningStack
    browser: HttpBrowser
    folder: Path
    words: dict[str, str] = dataclasses.field(default_factory=dict)

    def sign_in(self, email: str = "all@example.com") -> None:
        assert self.browser.sign_in(self.stack.url("auth_app"), email=email).status_code == 303
        assert self.browser.get(self.stack.url("energy", CLIENTS)).status_code == 200

    def page_that_needs_a_refresh(self) -> int:
        """The status of a page that is asked for without an access token, as when it has ended."""
        for cookie in [each for each in self.browser.http.cookies if each.name == VAR_ACCESS_TOKEN]:
            self.browser.http.cookies.clear(cookie.domain, cookie.path, cookie.name)
        return self.browser.get(self.stack.url("energy", CLIENTS)).status_code

    def run(self, command: str) -> str:
        """What a command prints. Its status is the page's business, so that a failed check may be shown."""
        command = f"set +e; {self.localised(command).replace('./manage.py', str(ROOT / 'manage.py'))}"
        done = run_typed(command, folder=self.folder, **self.stack.variables)
        return done.stdout or done.stderr

    def localised(self, text: str) -> str:
        """A text of a page with the ports and names that are true here."""
        for word, here in self.words.items():
            text = text.replace(word, here)
        return re.sub(
            r"(localhost|127\.0\.0\.1):8(\d{3})\b",
            lambda found: f"{found[1]}:{self.stack.local.port_base + int(found[2])}",
            text,
        )


def pattern_of(shown: str) -> str:
    """What a page shows of an output, as an expression: `…` is anything, a line of it alone any lines."""
    return "".join(
        r"(?:.*\n)*?" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n"
        for line in columns_of(shown).splitlines()
    )


def columns_of(text: str) -> str:
    """A text whose columns stand one space apart, however wide they are."""
    return "\n".join(re.sub(r" +", " ", line).rstrip() for line in text.rstrip().splitlines()) + "\n"


def prove(world: World, page: Path, *headings: str) -> None:
    """Run the commands of these sections, and find their log lines."""
    for block in blocks_of(page):
        heading = next(name for name, text in sections(page).items() if block.written in text)
        if heading not in headings:
            continue
        if block.language == "console":
            # Each command behind `$ `, with what stands below it.
            before, *parts = re.split(r"^\$ (.+)\n", block.code, flags=re.MULTILINE)
            assert before == "", f"{block.id}: it begins with a command, behind `$ `"
            for command, shown in zip(parts[::2], parts[1::2], strict=True):
                printed = world.run(command)
                expected = world.localised(shown)
                assert re.fullmatch(pattern_of(expected), columns_of(printed)), (
                    f"{block.id}: $ {command}\nit prints\n{printed}"
                )
        elif block.language == "log":
            written = world.stack.log.read_text()
            for line in block.code.splitlines():
                assert re.search(pattern_of(f"…{line}…"), written), (
                    f"{block.id}: no server wrote {line}\n{written[-3000:]}"
                )


@contextlib.contextmanager
def backend_down(world: World) -> Iterator[None]:
    world.stack.group.stop(BACKEND)
    try:
        # The sign-in has read the list as it is first shown.
        assert world.browser.get(world.stack.url("energy", "/en/energy/meters?q=none")).status_code == 503
        assert world.page_that_needs_a_refresh() == 503
        yield
    finally:
        world.stack.group.restart([each for each in world.stack.local.servers() if each.name == BACKEND])
        world.stack.group.wait_until_ready()
    until(lambda: world.page_that_needs_a_refresh() == 200, what="a page is refreshed")


#: More than fits into a store of `APP_STORE_MAX_MB=1` is added, or deleted; what no longer fits is refused.
FILL = """
import contextlib, django
from django.core.cache import caches
from sqlite_cache import CacheFullError
django.setup()
for number in range(20):
    with contextlib.suppress(CacheFullError):
        caches["refresh"].{}
"""


@contextlib.contextmanager
def store_full(world: World) -> Iterator[None]:
    in_project(world, FILL.format('add(f"filling:{number}", "x" * 200_000, 3600)'))
    try:
        until(lambda: status_of_a_new_sign_in(world) == 503, what="the store is full")
        yield
    finally:
        in_project(world, FILL.format('delete(f"filling:{number}")'))
    until(lambda: world.page_that_needs_a_refresh() == 200, what="a page is refreshed")


def status_of_a_new_sign_in(world: World) -> int:
    """The status of a page that needs a refresh. A sign-in that was refreshed already needs no lock for a while."""
    world.browser.http.cookies.clear()
    world.sign_in()
    return world.page_that_needs_a_refresh()


def in_project(world: World, code: str) -> None:
    """Run code with the settings of a project."""
    program = f"DJANGO_SETTINGS_MODULE=apps.energy.settings PYTHONPATH={ROOT}:{ROOT / 'packages'} {sys.executable} -"
    assert world.run(f"{program} <<'END' && echo done\n{code}\nEND\n") == "done\n"


@contextlib.contextmanager
def nothing_wrong(world: World) -> Iterator[None]:
    token = world.browser.cookie(VAR_ACCESS_TOKEN) or ""
    (world.folder / "token.txt").write_text(token)
    world.words["acc_9"] = jwt.decode(token, options={"verify_signature": False})["sub"]
    yield


def is_signed_in(world: World) -> bool:
    return world.browser.get(world.stack.url("energy", CLIENTS)).url.endswith(CLIENTS)


SITUATIONS: Final[dict[str, Callable[[World], contextlib.AbstractContextManager[None]]]] = {
    "backend-down": backend_down,
    "store-full": store_full,
    "keys-rotated": nothing_wrong,
    "leaked-secret": nothing_wrong,
    "mass-sign-out": nothing_wrong,
    "upgrade": nothing_wrong,
}
#: This one ends with a command that signs this user out. The others have another one: a sign-in that has lost its access
#: token right after an operator's sign-out counts as one of before.
SIGNED_OUT: Final = {"mass-sign-out": "energy@example.com"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("runbooks")
    without = ("operations", "finance")
    with running_stack(folder, without=without, development=True, APP_STORE_MAX_MB="1") as stack:
        yield World(stack=stack, browser=HttpBrowser(), folder=folder)


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_in_its_situation_a_runbook_shows_what_an_operator_sees(page: Path, world: World) -> None:
    with HttpBrowser() as browser:
        world.browser = browser
        world.sign_in(SIGNED_OUT.get(page.stem, "all@example.com"))
        with SITUATIONS[page.stem](world):
            prove(world, page, "What you see", "Check")
        assert is_signed_in(world)
        prove(world, page, "Do", "Afterwards")
        assert is_signed_in(world) == (page.stem not in SIGNED_OUT)
