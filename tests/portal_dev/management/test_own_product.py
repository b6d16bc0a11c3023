"""A product of one's own: the examples are removed, its first platform is made by the command, and what is left is whole.

The tests that are left number thousands, and most of them name no platform: `make test` runs the same ones anyway. So in
the copy all of their modules are imported, and those tests run that meet the registry: of routes and configuration, of
the gateway, and of the new platform. `make test-own-product` runs all that is left.
"""

import os
import re
from pathlib import Path

import pytest

from tests.support.checkout_copy import commit_copy, copy_caches, output_of
from tests.support.harness import ROOT
from tests.support.linked_environment import copy_with_environment

NAME = "billing"
SERVICES = "packages/portal/services"
#: Below `tests/`.
MEET_THE_REGISTRY = (
    *("portal/edge/test_rules.py", "portal/edge/test_explain_route.py", "portal/identity/"),
    *("portal/config/", "portal_operate/test_checks.py", "apps/"),
)
#: A plugin of pytest: all modules are imported, and the tests of these are run.
CHOOSING = f"""
import pytest
CHOSEN = {tuple(f"tests/{path}" for path in MEET_THE_REGISTRY)}
@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector):
    return None if collector.nodeid.startswith(CHOSEN) else []
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A copy of this checkout with `billing` in place of the three examples, and what each command said."""
    copy = copy_with_environment(tmp_path_factory.mktemp("product") / "copy", whole=True)
    copy_caches(copy)
    commit_copy(copy)
    said = [output_of(copy, "manage.py", "removeplatform", "finance")]
    assert (copy / SERVICES / "finance").exists()
    said += [output_of(copy, "manage.py", "removeplatform", "energy")]
    contract = (copy / "docs" / "reference" / "contract.md").read_text()
    assert "| operations | `apps/operations` | `http://localhost:8001` |" in contract, "its port is that of the first"
    said += [output_of(copy, "manage.py", "removeplatform", "operations")]
    return copy, [*said, output_of(copy, "manage.py", "startplatform", NAME)]


@pytest.fixture
def product(made: tuple[Path, list[str]]) -> Path:
    return made[0]


def test_removed_examples_make_room_for_the_first_platform(made: tuple[Path, list[str]]) -> None:
    copy, (first, second, *others) = made
    assert f"Kept: {SERVICES}/finance, which apps/energy/views/elsewhere.py imports.\n" in first
    assert second.startswith(f"Removed: {SERVICES}/finance, apps/energy,")
    assert not (copy / SERVICES / "finance").exists()
    assert "yourself" not in first + second + "".join(others)
    for file, asked in (("pyproject.toml", "finance = ["), ("Makefile", "--extra finance")):
        assert asked in (ROOT / file).read_text()
        assert asked not in (copy / file).read_text(), "packages that a removed platform alone needed"
    assert re.findall(r'app="(\w+)"', (copy / "apps" / "product.py").read_text()) == [NAME]
    files = ("README.md", "CODEOWNERS", ".env.example", "docs/reference/environment.md", "deploy/nginx/portal.conf")
    for file in files:
        text = (copy / file).read_text()
        assert NAME in text.lower(), file
        assert not re.search(r"\bapps/(energy|operations|finance)\b|(ENERGY|OPERATIONS|FINANCE)_APP_URL", text), file
        assert not re.search(r", ,|\| , |: , ", text), file


CONTRACTS = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"


@pytest.mark.parametrize(
    "command",
    [
        *(("manage.py", "--app", app, "check") for app in ("auth_app", NAME)),
        ("-c", CONTRACTS),
        # No other package imports a platform or its services: the contracts are kept.
        ("-m", "mypy", "apps", "packages/portal/services"),
    ],
    ids=["the gateway's checks", "the platform's checks", "import contracts", "types"],
)
def test_it_passes(product: Path, command: tuple[str, ...]) -> None:
    debug = {"DEBUG": "on"} if command[0] == "manage.py" else {}
    output_of(product, *command, **debug)


@pytest.mark.timeout(5400)  # of the whole suite, on a machine that does more
def test_the_tests_pass(product: Path) -> None:
    (product / "choosing.py").write_text(CHOOSING)
    some = ("pytest", "-q", "-p", "choosing", "-p", "no:cacheprovider", "tests")
    chosen = ("tests.jobs", "test", "dev-check") if os.environ.get("OWN_PRODUCT") == "whole" else some
    output_of(product, "-m", *chosen, timeout_s=5300)
