"""The schema that the sandbox publishes, made in a process of its own: the portal does not import the sandbox."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.support.harness import ROOT, clean_environment, run_program, with_own


def sandbox_schema(folder: Path, **environment: str) -> Path:
    """Write the schema into `folder`; gives its file."""
    given = clean_environment(DEBUG="on", SANDBOX_STATE_DIR=str(folder / "state"), **environment)
    file = folder / "sandbox.yaml"
    options = ("--validate", "--fail-on-warn", "--file", file)
    command = (sys.executable, "-m", "sandbox_api", "spectacular", *options)
    run_program(*command, cwd=ROOT / "packages", env=with_own(given))
    return file
