"""`make check`: every check of the code at once, as many as the machine has processors. What is well says nothing."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from tests.jobs import ROOT, say

BIN = Path(sys.executable).parent


@dataclass(frozen=True)
class Check:
    """One command.

    :param well: a pattern of all that it prints when nothing is to be said.
    """

    command: tuple[str, ...]
    well: str = ""
    variables: dict[str, str] = field(default_factory=dict)

    def run(self) -> tuple[bool, str]:
        """Whether it passes, and what it has to say."""
        done = subprocess.run(
            [str(BIN / self.command[0]), *self.command[1:]],
            cwd=ROOT,
            env={**os.environ, **self.variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        said = done.stdout.strip()
        return done.returncode == 0, "" if done.returncode == 0 and re.fullmatch(self.well, said, re.DOTALL) else said

    def __str__(self) -> str:
        return " ".join((*(f"{name}={value}" for name, value in self.variables.items()), *self.command))


APPS = sorted(path.parent.name for path in (ROOT / "apps").glob("*/settings.py"))
DEBUG = {"DEBUG": "on"}
#: The longest first.
CHECKS = (
    Check(("basedpyright",), r"0 errors, 0 warnings, 0 notes"),
    Check(("mypy",), r"Success: [^\n]+"),
    Check(("mypy", "--config-file", "packages/sandbox_api/mypy.ini", "-p", "sandbox_api"), r"Success: [^\n]+", DEBUG),
    *(
        Check(("python", "manage.py", "--app", app, "check"), r"System check identified no issues.*", DEBUG)
        for app in APPS
    ),
    Check(("lint-imports",), r".*\d+ kept, 0 broken\."),
    Check(("python", "-m", "tests.supply_chain", "audit")),
    Check(("ruff", "check", "."), r"All checks passed!"),
    Check(("ruff", "format", "--check", "."), r"\d+ files already formatted"),
)


def main(checks: Sequence[Check] = CHECKS) -> int:
    """Run all, show each that has something to say as soon as it ends; gives the exit status."""
    start = time.monotonic()
    failed = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {pool.submit(check.run): check for check in checks}
        for ended in as_completed(running):
            passes, said = ended.result()
            if said or not passes:
                say(f"$ {running[ended]}", said)
            failed += [running[ended]] * (not passes)
    passed = f"{len(checks) - len(failed)} of {len(checks)} checks passed, in {time.monotonic() - start:.0f} s"
    say(*(f"failed: {check}" for check in failed), passed)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
