"""`./manage.py --app … COMMAND` as a process of its own, with an environment of its own."""

import json
import sys
from typing import Any, NamedTuple

from tests.support.harness import clean_environment, run_program, with_own


class Ended(NamedTuple):
    """A command that has ended."""

    status: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """What it printed, which is JSON and nothing else."""
        return json.loads(self.out)


def run_command(
    *words: str, app: str = "energy", given: str = "", status: int | None = None, **variables: str | None
) -> Ended:
    """Run it to its end.

    :param given: its standard input.
    :param status: of :func:`run_program`.
    """
    environment = with_own(clean_environment(**variables))
    command = (sys.executable, "manage.py", "--app", app, *words)
    done = run_program(*command, status=status, env=environment, input=given, timeout=120)
    return Ended(done.returncode, done.stdout, done.stderr)
