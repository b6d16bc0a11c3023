"""The schema that the sandbox publishes, made in a process of its own: the portal does not import the sandbox."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.harness import ROOT, clean_environment, with_own


def sandbox_schema(folder: Path, **environment: str) -> Path:
    """Write the schema into `folder`; gives its file."""
    given = clean_environment(DEBUG="on", SANDBOX_STATE_DIR=str(folder / "state"), **environment)
    file = folder / "sandbox.yaml"
    done = subprocess.run(
        [sys.executable, "-m", "sandbox_api", "spectacular", "--validate", "--fail-on-warn", "--file", str(file)],
        cwd=ROOT / "packages",
        env=with_own(given),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return file
