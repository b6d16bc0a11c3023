"""`./manage.py --app … COMMAND` as a process of its own, with an environment of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, NamedTuple

from tests.support.harness import ROOT, clean_environment, with_own


class Ended(NamedTuple):
    """A command that has ended."""

    status: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """What it printed, which is JSON and nothing else."""
        return json.loads(self.out)


def run_command(*words: str, app: str = "energy", given: str = "", **variables: str | None) -> Ended:
    """Run it to its end.

    :param given: its standard input.
    """
    done = subprocess.run(
        [sys.executable, "manage.py", "--app", app, *words],
        cwd=ROOT,
        env=with_own(clean_environment(**variables)),
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return Ended(done.returncode, done.stdout, done.stderr)
