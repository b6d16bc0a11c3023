"""What the library's base install is enough for, and the extra that is named where it is not."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.functional.test_serve import production_environment
from tests.portal_server.processes import compiled_templates
from tests.support.harness import ROOT, run_program
from tests.support.one_request import ONE_REQUEST
from tests.support.python_requirements import base_alone, not_in_the_base

SERVE = f"""{ONE_REQUEST}
print(*answered, *sorted(name for name in sys.modules if name.partition(".")[0] == "portal_dev"))
"""


def run(program: str, tmp_path: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program where nothing can be imported but the base, with production's settings."""
    command = (sys.executable, "-c", f"{base_alone()}{program}")
    environment = production_environment(tmp_path, PYTHONPATH=f"{ROOT}:{ROOT / 'packages'}", **variables)
    return run_program(*command, status=None, cwd=tmp_path, env=environment)


@pytest.mark.parametrize(("app", "path"), [("auth_app", "/en/login"), ("energy", "/healthz")])
def test_an_app_is_served_with_the_base_alone_and_without_debug_nothing_of_the_developers_tools_is_loaded(
    app: str, path: str, tmp_path: Path
) -> None:
    assert {"granian", "authlib", "reportlab", "pytest", "watchfiles"} <= set(not_in_the_base())
    done = run(SERVE.format(app=app, path=path), tmp_path, APP_COMPILED_TEMPLATES_DIR=compiled_templates(app))
    assert (done.stdout, done.returncode) == ("200 OK\n", 0), done.stderr


def test_with_debug_the_developers_tools_are_loaded_and_need_no_extra(tmp_path: Path) -> None:
    done = run(SERVE.format(app="energy", path="/healthz"), tmp_path, DEBUG="on")
    assert done.stdout.startswith("200 OK portal_dev"), done.stderr


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (["--app", "energy", "serve"], "server"),
        (["test"], "testing"),
    ],
)
def test_a_command_without_its_extra_names_it(words: list[str], extra: str, tmp_path: Path) -> None:
    told = run(f"from portal_operate.program.entry import main\nsys.exit(main({['manage.py', *words]}))", tmp_path)
    name = words[-1] if words[0] == "--app" else words[0]
    assert (told.returncode, told.stderr) == (
        2,
        f"{name} needs the extra `{extra}`: pip install 'portal-library[{extra}]'\n",
    )
