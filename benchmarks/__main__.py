"""`./manage.py bench [NAME …] [OPTIONS]`: the named benchmarks, or all that `make bench` runs, one after another.

`./manage.py bench NAME --help` shows the options of one. `./manage.py bench --smoke` runs all there are, each for a
short time: it shows that they run to their end. The exit status is 1 if one of them broke or missed a target; the
others run all the same. Processes that a benchmark has started end with it.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from itertools import takewhile
from typing import IO, Final

from benchmarks.harness.options import SKIPPED
from tests.support import contained_run
from tests.support.harness import seeded_sandbox
from tests.support.platforms import MISSING

#: Name to its module.
MODULES: Final = {
    "code_size": "benchmarks.code_size",
    **{name: f"benchmarks.pages.{name}" for name in ("pages", "edge", "exports", "profile")},
    **{name: f"benchmarks.query.{name}" for name in ("query", "api", "storm_query", "hung")},
    "storm": "benchmarks.refresh.storm",
    "growth": "benchmarks.growth.growth",
}
#: These have make targets of their own: they take minutes, or are asked for one page.
ON_THEIR_OWN: Final = {"growth", "hung", "profile", "storm", "storm_query"}
#: The longest that a benchmark may take, and that a short run may, seconds.
TIME_LIMIT_S, SMOKE_LIMIT_S = 3 * 60 * 60, 300


def main(arguments: list[str]) -> int:
    names = list(takewhile(lambda argument: not argument.startswith("-"), arguments))
    options = arguments[len(names) :]
    if unknown := sorted(set(names) - set(MODULES)):
        sys.stderr.write(f"no benchmark {', '.join(unknown)}; there are {', '.join(sorted(MODULES))}\n")
        return 2
    if not names and {"-h", "--help"}.intersection(options):
        say(__doc__ or "", f"Benchmarks: {', '.join(sorted(MODULES))}.")
        return 0
    smoke = "--smoke" in options
    if smoke and MISSING:
        say("skipped: the benchmarks measure the examples, which are not all here")
        return 0
    chosen = names or sorted(MODULES if smoke else set(MODULES) - ON_THEIR_OWN)
    quiet = smoke and len(chosen) > 1
    if quiet:
        os.environ["SEEDED_SANDBOX"] = str(seeded_sandbox().parent)
    lines, failed = [], False
    for name in chosen:
        began = time.monotonic()
        status, output = run_quietly(name, options) if quiet else (run(name, options), [])
        lines.append(f"{name:17}{time.monotonic() - began:7.1f} s  {result_of(status)}")
        is_failure = status not in {0, SKIPPED}
        failed = failed or is_failure
        if quiet:
            say(lines[-1], *(f"    {line}" for line in output if is_failure or line.startswith(("MISSED", "skipped"))))
    if len(chosen) > 1 and not quiet:
        say("", *lines)
    return int(failed)


def run(name: str, options: list[str], *, time_limit_s: float = TIME_LIMIT_S, output: IO[str] | None = None) -> int:
    """Run one benchmark in a process of its own, and return its exit status."""
    command = [sys.executable, "-m", MODULES[name], *options]
    return contained_run.run(command, time_limit_s=time_limit_s, output=output)


def run_quietly(name: str, options: list[str]) -> tuple[int, list[str]]:
    """Run one for a short time, and return its exit status and the lines that it printed."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        status = run(name, options, time_limit_s=SMOKE_LIMIT_S, output=output)
        output.seek(0)
        return status, output.read().splitlines()


def result_of(status: int) -> str:
    """Return an exit status in words."""
    words = {0: "ok", SKIPPED: "skipped", contained_run.TIME_IS_OVER: "FAILED: it did not end"}
    return words.get(status, f"FAILED: status {status}")


def say(*lines: str) -> None:
    """Print lines before the next process prints."""
    print(*lines, sep="\n", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
