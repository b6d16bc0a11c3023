"""The tests' own settings: whatever a developer's shell exports, they are the same."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from portal.config.environment import reader as env
from portal.config.projects import PROJECTS
from tests.support.harness import ROOT

SHOW = "from dataclasses import replace; from tests.settings import PORTAL; print(replace(PORTAL, state_dir=None))"


def shown(**exported: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", SHOW], cwd=ROOT, env=os.environ | exported, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_no_variable_of_the_shell_reaches_them() -> None:
    names = set(re.findall(r'"([A-Z][A-Z_]*[A-Z])"', Path(env.__file__).read_text()))
    names |= {project.url_variable for project in PROJECTS}
    assert {"PORT_BASE", "CACHE_URL", "DEBUG", "APP_JWT_KEY"} <= names
    assert shown(**dict.fromkeys(names, "9300")) == shown()
