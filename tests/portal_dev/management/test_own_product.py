"""A product of one's own: the examples are removed, its first platform is made by the command, and what is left is whole.

The tests that are left number thousands, and most of them name no platform: `make test` runs the same ones anyway. So in
the copy it collects all of them, and runs those that meet the registry: of routes and configuration, of the gateway, and
of the new platform. `make test-own-product` runs all that is left.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.checkout_copy import commit_copy, copy_caches, copy_of_checkout, output_of
from tests.support.linked_environment import link_environment
from tests.support.platforms import OF_THE_TESTS

MEET_THE_REGISTRY = (
    *("portal/edge/test_rules.py", "portal/edge/test_explain_route.py", "portal/identity/test_platforms.py"),
    *("portal/config", "portal_operate/test_checks.py", "apps"),
)


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this checkout with `billing` in place of the three examples."""
    copy = copy_of_checkout(tmp_path_factory.mktemp("product") / "copy", whole=True)
    link_environment(copy)
    commit_copy(copy)
    copy_caches(copy)
    for example in OF_THE_TESTS:
        output_of(copy, "manage.py", "removeplatform", example.app)
    output_of(copy, "manage.py", "startplatform", "billing")
    return copy


CONTRACTS = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"


@pytest.mark.parametrize(
    "command",
    [
        *(("manage.py", "--app", app, "check") for app in ("auth_app", "billing")),
        ("-c", CONTRACTS),
        ("-m", "mypy"),
        ("-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", "tests"),
    ],
    ids=["the gateway's checks", "the platform's checks", "import contracts", "types", "the tests can be collected"],
)
def test_it_passes(product: Path, command: tuple[str, ...]) -> None:
    debug = {"DEBUG": "on"} if command[0] == "manage.py" else {}
    output_of(product, *command, **debug)


@pytest.mark.timeout(5400)  # of the whole suite, on a machine that does more
def test_the_tests_pass(product: Path) -> None:
    some = ("pytest", "-q", "-p", "no:cacheprovider", *(f"tests/{path}" for path in MEET_THE_REGISTRY))
    chosen = ("tests.jobs", "test", "dev-check") if os.environ.get("OWN_PRODUCT") == "whole" else some
    output_of(product, "-m", *chosen, timeout_s=5300)
