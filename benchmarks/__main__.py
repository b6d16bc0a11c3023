"""`./manage.py bench [NAME …] [OPTIONS]`: the named benchmarks, or all that `make bench` runs, one after another.

`./manage.py bench NAME --help` shows the options of one. The exit status is 1 if one of them broke or missed a target;
the others run all the same. Processes that a benchmark has started end with it.
"""

import sys
import time
from itertools import takewhile
from typing import Final

from benchmarks.harness.options import SKIPPED
from tests.support import contained_run

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
#: The longest that a benchmark may take, seconds.
TIME_LIMIT_S: Final = 3 * 60 * 60


def main(arguments: list[str]) -> int:
    names = list(takewhile(lambda argument: not argument.startswith("-"), arguments))
    options = arguments[len(names) :]
    if unknown := sorted(set(names) - set(MODULES)):
        sys.stderr.write(f"no benchmark {', '.join(unknown)}; there are {', '.join(sorted(MODULES))}\n")
        return 2
    if not names and {"-h", "--help"}.intersection(options):
        say(__doc__ or "", f"Benchmarks: {', '.join(sorted(MODULES))}.")
        return 0
    lines, failed = [], False
    for name in names or sorted(set(MODULES) - ON_THEIR_OWN):
        began = time.monotonic()
        status = run(name, options)
        lines.append(f"{name:17}{time.monotonic() - began:7.1f} s  {result_of(status)}")
        failed = failed or status not in {0, SKIPPED}
    if len(lines) > 1:
        say("", *lines)
    return int(failed)


def run(name: str, options: list[str]) -> int:
    """Run one benchmark in a process of its own, and return its exit status."""
    return contained_run.run([sys.executable, "-m", MODULES[name], *options], time_limit_s=TIME_LIMIT_S)


def result_of(status: int) -> str:
    """Return an exit status in words."""
    words = {0: "ok", SKIPPED: "skipped", contained_run.TIME_IS_OVER: "FAILED: it did not end"}
    return words.get(status, f"FAILED: status {status}")


def say(*lines: str) -> None:
    """Print lines before the next process prints."""
    print(*lines, sep="\n", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
