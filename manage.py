#!/usr/bin/env python3
"""The one entry of every project: `./manage.py --app energy <command>`, in any shell, with any python3."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent
#: The environment that `make install` builds.
ENVIRONMENT = ROOT / ".venv"


def use_environment() -> None:
    """Run this program again with the environment's own Python, unless that is the one that runs it.

    Ends with one line if no Python here has what the commands need.
    """
    python = ENVIRONMENT / "bin" / "python"
    # Without pyvenv.cfg it is no environment, and its Python would come here again, without end.
    if python.exists() and (ENVIRONMENT / "pyvenv.cfg").exists() and not ENVIRONMENT.samefile(sys.prefix):
        os.execv(python, [str(python), *sys.argv])  # noqa: S606  no shell is needed
    if find_spec("django") is None:
        sys.exit(f"{ENVIRONMENT} is not there, or not complete: `make install` in {ROOT} builds it")


if __name__ == "__main__":
    use_environment()
    # Works from any folder, before the environment's path file exists, and whatever PYTHONPATH says.
    sys.path[:0] = [str(ROOT), str(ROOT / "packages")]
    from portal_operate.program.entry import main

    sys.exit(main(sys.argv))
