"""The wheels: they have what git tracks, and run outside of a checkout, by a user without rights, on a read-only tree."""

import os
import re
import signal
import sys
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader

import portal
from portal.config.projects import PROJECTS
from portal_operate.program import entry
from portal_server.ports import answers
from tests.deploy.installed_wheel import Installed, clone_to_build, installed, make_wheels
from tests.support.doc_blocks import blocks_of, command_lines
from tests.support.harness import ROOT, require_tool, run_program, running_stack
from tests.support.http_browser import HttpBrowser
from tests.support.linked_environment import run_typed
from tests.support.ports import free_port
from tests.support.processes import process_group, until, workers_of

#: What a deployment has to say, with the store of this machine.
SETTINGS = {
    "DEBUG": "off",
    "SECRET_KEY": "a long random text for this test of the wheel alone, 64 characters",
    "ALLOWED_HOSTS": "localhost",
    "APP_PUBLIC_API_BASE_URL": "http://127.0.0.1:9",
    "APP_PUBLIC_GATEWAY_APP_URL": "https://auth.example.com",
    "APP_PUBLIC_AUTH_COOKIE_DOMAIN": "example.com",
}
HOW_TO = ROOT / "docs" / "how-to" / "install-the-wheel.md"
#: Settings of development tools: nothing that is run reads them.
OF_TOOLS = {"mypy.ini", "pyproject.toml", "ruff.toml", "setup.py"}


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for program in ("make", "git", "tar"):
        require_tool(program)
    return clone_to_build(tmp_path_factory.mktemp("wheel") / "clone")


@pytest.fixture(scope="module")
def wheels(clone: Path) -> dict[str, Path]:
    return make_wheels(clone)


@pytest.fixture(scope="module")
def target(wheels: dict[str, Path]) -> Iterator[Installed]:
    with installed(wheels.values()) as target:
        yield target


def files_of_git(clone: Path) -> set[str]:
    """Their paths, as they are in the wheels."""
    listed = run_program("git", "ls-files", "packages", "apps", cwd=clone)
    return {line.removeprefix("packages/") for line in listed.stdout.splitlines() if Path(line).name not in OF_TOOLS}


def files_in(wheel: Path) -> set[str]:
    """Their paths; without what the builder writes of the distribution."""
    return {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}


def test_each_file_that_git_tracks_is_in_one_of_them_and_no_other_one_is(clone: Path, wheels: dict[str, Path]) -> None:
    names = sorted(name for wheel in wheels.values() for name in files_in(wheel))
    tracked = files_of_git(clone)
    assert names == sorted(tracked | {f"{name[:-3]}.mo" for name in tracked if name.endswith(".po")})
    assert {Path(name).suffix for name in names} >= {".html", ".css", ".js", ".svg", ".mo", ".ttf"}


def test_a_file_of_this_machine_does_not_get_into_one_and_the_same_commit_gives_the_same_bytes(
    clone: Path, wheels: dict[str, Path]
) -> None:
    first = {name: wheel.read_bytes() for name, wheel in wheels.items()}
    (clone / "packages" / "portal" / "left_here.py").write_text("")
    for place in ("build/lib/apps", "packages/build/lib/portal", "packages/sandbox_api/build/lib/sandbox_api"):
        stale = clone / place
        stale.mkdir(parents=True)
        (stale / "gone.py").write_text("")
    again = make_wheels(clone, umask=0o077)
    assert {name: wheel.name for name, wheel in again.items()} == {name: wheel.name for name, wheel in wheels.items()}
    assert {name: wheel.read_bytes() for name, wheel in again.items()} == first


def test_the_how_to_installs_them_so(wheels: dict[str, Path], tmp_path: Path) -> None:
    (block,) = [block for block in blocks_of(HOW_TO) if block.language == "sh"]
    make, pinned, install, say = command_lines(block.code.replace("/srv/portal", str(tmp_path / "portal")))
    # Its packages come from an index, which no test asks for anything; they are those of this process.
    assert pinned.endswith("/bin/pip install --require-hashes -r apps.txt")
    assert (ROOT / "requirements" / "apps.txt").exists()
    words = install.split()
    assert [wheels[name].name for name in ("portal_library", "portal_apps")] == words[-2:]
    for command in (make.replace("python3", sys.executable), f"{install} --no-index", say):
        done = run_typed(command, folder=wheels["portal_apps"].parent, status=0)
    assert done.stdout == f"portal {portal.__version__}\n"


def test_the_state_lies_in_no_folder_of_the_environment(target: Installed) -> None:
    done = target.portal("--app", "energy", "check", **SETTINGS)
    assert done.returncode == 1
    assert "/var/lib/portal" in done.stderr
    assert "APP_STATE_DIR" in done.stderr
    state = str(target.scratch / "checks")
    done = target.portal("--app", "energy", "check", "--deploy", **SETTINGS, APP_STATE_DIR=state)
    assert done.returncode == 0, done.stderr


def test_command_for_checkouts_says_so(target: Installed) -> None:
    for words in (["startplatform", "logistics"], ["test"]):
        done = target.portal(*words)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"{words[0]} needs a checkout of the repository; this portal was installed from a wheel\n"
    assert "startplatform" not in target.portal().stdout


def test_sandbox_names_the_packages_it_needs(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr(entry, "find_spec", lambda _name: None)
    assert entry.main(["portal", "--app", "sandbox_api", "migrate"]) == 2
    assert "install the distribution portal-sandbox-api with all it asks for" in capsys.readouterr().err


def test_installed_app_serves_as_nobody_and_process_1(target: Installed, tmp_path: Path) -> None:
    port, log = free_port(), tmp_path / "installed.log"
    with running_stack(tmp_path, without=tuple(project.app for project in PROJECTS)) as stack, HttpBrowser() as browser:
        browser.take(stack.tokens("finance@example.com"))
        variables = {
            **SETTINGS,
            "APP_PUBLIC_API_BASE_URL": stack.backend,
            "APP_BACKEND_OFFERS": "contract",
            "APP_PUBLIC_GATEWAY_APP_URL": stack.url("auth_app"),
            "APP_PUBLIC_AUTH_COOKIE_DOMAIN": "",
            "APP_STATE_DIR": str(target.scratch / "state"),
        }
        command = target.command(target.program, "--app=finance", "serve", f"--port={port}", "--workers=2", first=True)
        own = target.variables(**variables)
        with log.open("wb") as output, process_group(command, env=own, stderr=output) as process:
            until(lambda: answers(port) or process.poll() is not None, seconds=60, what="the server answers")
            assert process.poll() is None, log.read_text()
            (pid,) = workers_of(process.pid)
            status = Path(f"/proc/{pid}/status").read_text()
            assert re.search(r"^Uid:\s+65534\s+65534\s+65534\s+65534$", status, flags=re.MULTILINE)
            assert re.search(r"^CapEff:\s+0+$", status, flags=re.MULTILINE)
            assert re.search(r"^NSpid:\s+\d+\s+1$", status, flags=re.MULTILINE), "process 1, as in a container"
            look_around(browser, f"http://localhost:{port}")
            os.kill(pid, signal.SIGTERM)
            assert process.wait(timeout=60) == 0
    assert "Traceback" not in log.read_text()
    assert [path.name for path in target.scratch.iterdir() if path.name.startswith("portal-")] == []


def look_around(browser: HttpBrowser, origin: str) -> None:
    """Open a page in each language, its styles, and a PDF with its fonts."""
    for locale, heading in {"en": "Invoices", "de": "Rechnungen", "tr": "Faturalar"}.items():
        page = browser.get(f"{origin}/{locale}/finance/invoices")
        assert page.status_code == 200
        assert re.search(rf"<h1[^>]*>\s*{heading}", page.text), locale
    style = browser.get(origin + re.search(r'href="(/static/finance/app\.[0-9a-f]+\.css)"', page.text)[1])
    assert (style.status_code, style.headers["Content-Type"]) == (200, 'text/css; charset="utf-8"')
    assert "immutable" in style.headers["Cache-Control"]
    row = re.search(r'data-row-id="([^"]+)"', page.text)[1]
    answer = browser.get(f"{origin}/de/finance/invoices/{row}/pdf")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/pdf")
    assert "Rechnung" in PdfReader(BytesIO(answer.content)).pages[0].extract_text()
