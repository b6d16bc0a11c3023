"""`INSTALLED_APPS += ["portal"]` in a Django project that has none of the portal's settings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.checkout_copy import in_copy, run
from tests.support.harness import ROOT


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """What `django-admin startproject` writes, with the portal among its apps."""
    command = [sys.executable, "-m", "django", "startproject", "shop", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    settings = tmp_path / "shop" / "settings.py"
    settings.write_text(f'{settings.read_text()}\nINSTALLED_APPS += ["portal"]\n')
    return tmp_path


@pytest.mark.parametrize("command", [("check",), ("migrate", "--plan"), ("runserver", "--noreload")])
def test_it_ends_with_one_line_that_says_what_to_do(project: Path, command: tuple[str, ...]) -> None:
    ended = run(project, "manage.py", *command, variables=in_copy(ROOT, DJANGO_SETTINGS_MODULE="shop.settings"))
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr == (
        "portal: these settings are not made by project_settings(…), so it can't be one of INSTALLED_APPS: take it out. "
        "The query layer and the refresh need no app: docs/how-to/use-the-query-layer-in-a-project.md\n"
    )
