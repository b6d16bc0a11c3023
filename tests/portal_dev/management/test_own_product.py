"""A product of one's own: the examples are removed, its first platform is made by the command, and what is left is whole.

The tests that are left number thousands, and most of them name no platform: `make test` runs the same ones anyway. So in
the copy it collects all of them, and runs those that meet the registry: of routes, identity and configuration, of the
gateway, and of the new platform. `make test-own-product` runs all that is left.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.checkout_copy import commit_copy, copy_of_checkout, in_copy, run
from tests.support.linked_environment import link_environment
from tests.support.platforms import OF_THE_TESTS

#: Below `tests/`.
MEET_THE_REGISTRY = ("portal/edge", "portal/identity", "portal/config", "portal_operate/test_checks.py", "apps")


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this checkout with `billing` in place of the three examples."""
    copy = copy_of_checkout(tmp_path_factory.mktemp("product") / "copy", whole=True)
    link_environment(copy)
    commit_copy(copy)
    for example in OF_THE_TESTS:
        removed = run(copy, "manage.py", "removeplatform", example.app)
        assert removed.returncode == 0, removed.stderr
    made = run(copy, "manage.py", "startplatform", "billing")
    assert made.returncode == 0, made.stderr
    return copy


@pytest.mark.parametrize("app", ["auth_app", "billing"])
def test_each_app_passes_its_checks(product: Path, app: str) -> None:
    checked = run(product, "manage.py", "--app", app, "check", variables=in_copy(product, DEBUG="on"))
    assert checked.returncode == 0, checked.stderr


def test_the_import_contracts_hold(product: Path) -> None:
    program = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    linted = run(product, "-c", program)
    assert "0 broken" in linted.stdout, linted.stdout


def test_the_types_fit(product: Path) -> None:
    checked = run(product, "-m", "mypy")
    assert checked.returncode == 0, checked.stdout


def test_the_tests_that_are_left_can_be_collected(product: Path) -> None:
    collected = run(product, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", "tests")
    assert collected.returncode == 0, collected.stdout[-2000:]


def kept_tests() -> tuple[str, ...]:
    """The words after `python -m`."""
    if os.environ.get("OWN_PRODUCT") == "whole":
        return ("tests.jobs", "test", "dev-check")
    options = ("-q", "-n", "2", "--dist", "loadfile", "-p", "no:cacheprovider")
    return ("pytest", *options, *(f"tests/{folder}" for folder in MEET_THE_REGISTRY))


@pytest.mark.timeout(5400)  # of the whole suite, on a machine that does more
def test_the_tests_pass(product: Path) -> None:
    ran = run(product, "-m", *kept_tests(), timeout_s=5300)
    assert ran.returncode == 0, ran.stdout[-20_000:]
