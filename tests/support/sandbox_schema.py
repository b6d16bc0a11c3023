"""The schema that the sandbox publishes, made in a process of its own: the portal does not import the sandbox."""

import sys
from functools import cache, partial
from pathlib import Path

from tests.support.harness import ROOT, clean_environment, run_program, with_own
from tests.support.private_folder import made_once


@cache
def sandbox_schema(profile: str = "") -> Path:
    """Return the file of the schema of a backend with this `SANDBOX_PROFILE`, made once in a run."""
    return made_once(f"schema{profile}", partial(_write, profile)) / "sandbox.yaml"


def _write(profile: str, folder: Path) -> None:
    given = {"SANDBOX_PROFILE": profile} if profile else {}
    environment = clean_environment(DEBUG="on", SANDBOX_STATE_DIR=str(folder / "state"), **given)
    options = ("--validate", "--fail-on-warn", "--file", folder / "sandbox.yaml")
    command = (sys.executable, "-m", "sandbox_api", "spectacular", *options)
    run_program(*command, cwd=ROOT / "packages", env=with_own(environment))
