"""Tests that a test has written, run by a pytest of their own with this checkout's settings."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.harness import ROOT, run_program
from tests.support.whole_runs import SHORT

#: What every test below `tests/apps` stands on.
GROUND = ("conftest.py", "settings.py")


def run_app_tests_in_copy(copy: Path, app: str) -> subprocess.CompletedProcess[str]:
    """Run `tests/apps/<app>` of a copy of this checkout."""
    for name in GROUND:
        shutil.copy(ROOT / "tests" / name, copy / "tests")
    shutil.copytree(ROOT / "tests" / "support", copy / "tests" / "support", dirs_exist_ok=True)
    return run_pytest(copy / "tests" / "apps" / app, checkout=copy, status=None)


def run_pytest(
    *paths: Path, checkout: Path = ROOT, only: str = "", status: int | None = 0, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run the tests of these files and folders; the output has a line for each test.

    :param only: an expression by which tests are chosen, as of the option `-k`.
    :param status: of :func:`run_program`.
    :param checkout: whose `pyproject.toml` counts, and whose packages are imported.
    """
    options = ["-p", "no:cacheprovider", "-c", str(checkout / "pyproject.toml"), "--rootdir", str(checkout), "-k", only]
    environment = {**os.environ, **SHORT, "PYTHONPATH": f"{checkout}:{checkout / 'packages'}", **variables}
    command = (sys.executable, "-m", "pytest", "-rA", *options, *paths)
    return run_program(*command, status=status, cwd=checkout, env=environment, timeout=300)
