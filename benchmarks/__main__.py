"""`./manage.py bench [NAME …] [OPTIONS]`: the named benchmarks, or all that `make bench` runs, one after another.

`./manage.py bench NAME --help` shows the options of one. `./manage.py bench --smoke` runs all there are, each for a
short time: it shows that they run to their end. The exit status is 1 where one of them broke or missed a target; the
others run all the same. What a benchmark has started ends with it.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from itertools import takewhile
from pathlib import Path
from typing import IO, Final

from benchmarks._options import SKIPPED
from tests.support import contained_run
from tests.support.harness import seeded_sandbox
from tests.support.platforms import MISSING

NAMES: Final = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))
#: These have make targets of their own: they take minutes, or are asked for one page.
ON_THEIR_OWN: Final = {
    *(
        "profile",
        "hung",
        "grey_server",
        "storm",
        "storm_edits",
        "storm_query",
        "outage",
        "refresh_store",
        "trace",
        "growth",
    ),
    *("topology_load", "topology_faults", "topology_fuzz", "topology_memory"),
}
#: The longest that one may take, and that a short run may, seconds.
TIME_LIMIT_S, SMOKE_LIMIT_S = 3 * 60 * 60, 300
#: Of a benchmark that has ended well, short runs of several show the lines that begin so.
TOLD: Final = ("MISSED", "skipped")


def main(arguments: list[str]) -> int:
    names = list(takewhile(lambda argument: not argument.startswith("-"), arguments))
    options = arguments[len(names) :]
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        sys.stderr.write(f"no benchmark {', '.join(unknown)}; there are {', '.join(NAMES)}\n")
        return 2
    if not names and {"-h", "--help"}.intersection(options):
        sys.stdout.write(f"{__doc__}\nBenchmarks: {', '.join(NAMES)}.\n")
        return 0
    smoke = "--smoke" in options
    if smoke and MISSING:
        say("skipped: the benchmarks measure the examples, which are not all here")
        return 0
    chosen = names or [name for name in NAMES if smoke or name not in ON_THEIR_OWN]
    if smoke and len(chosen) > 1:
        os.environ["SEEDED_SANDBOX"] = str(seeded_sandbox().parent)
    lines, failed = [], False
    for name in chosen:
        began = time.monotonic()
        status, said = run_quietly(name, options) if smoke and len(chosen) > 1 else (run(name, options), [])
        lines.append(f"{name:17}{time.monotonic() - began:7.1f} s  {result_of(status)}")
        failed = failed or status not in {0, SKIPPED}
        if smoke and len(chosen) > 1:
            say(lines[-1], *(f"    {line}" for line in said if line.startswith(TOLD) or status not in {0, SKIPPED}))
    if len(chosen) > 1 and not smoke:
        say("", *lines)
    return int(failed)


def run(name: str, options: list[str], *, time_limit_s: float = TIME_LIMIT_S, output: IO[str] | None = None) -> int:
    """One benchmark, in a process of its own; gives its exit status."""
    command = [sys.executable, "-m", f"benchmarks.{name}", *options]
    return contained_run.run(command, time_limit_s=time_limit_s, output=output)


def run_quietly(name: str, options: list[str]) -> tuple[int, list[str]]:
    """The same for a short time; gives what it printed too."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        status = run(name, options, time_limit_s=SMOKE_LIMIT_S, output=output)
        output.seek(0)
        return status, output.read().splitlines()


def result_of(status: int) -> str:
    """An exit status in words."""
    words = {0: "ok", SKIPPED: "skipped", contained_run.TIME_IS_OVER: "FAILED: it did not end"}
    return words.get(status, f"FAILED: status {status}")


def say(*lines: str) -> None:
    """Print lines before what the next process prints."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
