"""`./manage.py` as it is typed: in a shell without an activated environment, in a fresh copy of the checkout."""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from portal.config.environment.reader import MARKER
from portal.config.projects import PROJECT_BY_APP
from portal_dev.local_servers.local_stack import BACKEND
from tests.support.checkout_copy import copy_of_checkout
from tests.support.harness import ROOT, run_program
from tests.support.linked_environment import bare_shell, link_environment

WHERE = "import portal, sys; print(portal.__file__, sys.prefix)"
NOTHING_THERE = "is not there, or not complete: `make install` in"
REQUIRED = "energy: SECRET_KEY is missing: it should be a long random text"


def type_in(folder: Path, *words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return run_program(*words, status=None, cwd=folder, env=bare_shell(**variables), timeout=60)


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A copy without an environment."""
    return copy_of_checkout(tmp_path / "portal")


@pytest.fixture
def checkout(bare: Path) -> Path:
    link_environment(bare)
    return bare


@pytest.fixture
def server(bare: Path) -> Path:
    """A copy after `make runtime`."""
    link_environment(bare, server=True)
    return bare


@pytest.fixture(scope="module")
def python_without_django(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("python")
    venv.create(folder, with_pip=False)
    return folder / "bin" / "python"


def test_command_runs_in_its_own_folders_environment(
    checkout: Path, tmp_path: Path, python_without_django: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(checkout)
    others = {"PYTHONPATH": f"{ROOT}:{ROOT / 'packages'}", "DJANGO_SETTINGS_MODULE": "elsewhere.settings"}
    for folder, words in (
        (checkout, ["./manage.py"]),
        (checkout, ["python3", "manage.py"]),
        (checkout, [python_without_django, "manage.py"]),
        (checkout, [".venv/bin/python", "manage.py"]),
        (tmp_path, [checkout / "manage.py"]),
        (tmp_path, [link / "manage.py"]),
    ):
        ran = type_in(folder, *words, "--app", "energy", "shell", "--no-imports", "-c", WHERE, **others)
        assert ran.stdout == f"{checkout / 'packages/portal/__init__.py'} {checkout / '.venv'}\n", (words, ran.stderr)


def test_missing_or_empty_environment_is_one_line(bare: Path, python_without_django: Path) -> None:
    ran = type_in(bare, python_without_django, "manage.py", "--app", "energy", "check")
    assert ran.returncode == 1
    assert ran.stderr == f"{bare / '.venv'} {NOTHING_THERE} {bare} builds it\n"
    # One that is no environment does not start itself again and again.
    (bare / ".venv" / "bin").mkdir(parents=True)
    (bare / ".venv" / "bin" / "python").symlink_to(python_without_django.resolve())
    assert NOTHING_THERE in type_in(bare, "./manage.py").stderr


def test_without_an_environment_of_its_own_a_python_that_has_everything_will_do(bare: Path) -> None:
    ran = type_in(bare, sys.executable, "manage.py")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("./manage.py --app APP COMMAND ")


def test_on_a_developers_machine_every_app_is_in_debug_without_a_word(checkout: Path) -> None:
    show = "from django.conf import settings; print(settings.DEBUG)"
    for app in ("energy", BACKEND):
        ran = type_in(checkout, "./manage.py", "--app", app, "shell", "--no-imports", "-c", show)
        assert ran.stdout == "True\n", ran.stderr


def test_on_a_server_the_missing_variable_is_named(server: Path) -> None:
    ran = type_in(server, "./manage.py", "--app", "energy", "check")
    assert (ran.returncode, ran.stderr) == (2, f"{REQUIRED}; or DEBUG=on, on a developer's machine\n")
    ran = type_in(server, "./manage.py", "--app", BACKEND, "check")
    assert ran.stderr.startswith("sandbox_api: SANDBOX_SECRET_KEY should be set")


def test_each_target_for_developers_and_no_other_marks_the_environment_as_theirs(bare: Path) -> None:
    shutil.copy(ROOT / "Makefile", bare)
    shutil.copytree(ROOT / "requirements", bare / "requirements")
    marking = {target for target in ("run", "dev", "install", "check", "runtime") if MARKER in made_by(bare, target)}
    assert marking == {"run", "dev", "install", "check"}


def made_by(checkout: Path, target: str) -> str:
    """What make would do without an environment."""
    return type_in(checkout, "make", "--dry-run", target).stdout


@pytest.mark.parametrize("what", ["whole", "without its Python", "moved"])
def test_an_environment_that_can_not_run_is_made_again(checkout: Path, what: str) -> None:
    if what == "without its Python":
        (checkout / ".venv" / "bin" / "python").unlink()
        (checkout / ".venv" / "bin" / "python").symlink_to("/nowhere/python3")
        assert NOTHING_THERE in type_in(checkout, "./manage.py").stderr
    if what == "moved":
        checkout = checkout.rename(checkout.with_name("other name"))
    shutil.copy(ROOT / "Makefile", checkout)
    shutil.copytree(ROOT / "requirements", checkout / "requirements")
    assert ("making the environment" in made_by(checkout, "install")) is (what != "whole")


def test_a_deployment_is_never_in_debug_by_default_even_with_a_developers_environment(checkout: Path) -> None:
    ran = type_in(checkout, "./manage.py", "--app", "energy", "check", ALLOWED_HOSTS="energy.example.com")
    assert ran.stderr.startswith(REQUIRED)


def test_a_project_is_named_where_a_command_needs_one(checkout: Path) -> None:
    ran = type_in(checkout, "python3", "manage.py", "check")
    assert ran.stderr.startswith("check runs in one project: ./manage.py --app APP check\n")
    ran = type_in(checkout, "./manage.py", "--app", "nowhere", "check")
    known = f"{', '.join(PROJECT_BY_APP)} and {BACKEND}"
    assert (ran.returncode, ran.stderr) == (2, f"--app nowhere: no such project; there are {known}\n")
