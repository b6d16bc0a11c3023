"""`make test`: runs the whole suite. First it says how long that takes, and which tests this machine can't run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tests.support.harness import found_tool

ROOT = Path(__file__).resolve().parents[1]
#: Tests wait more than they compute, so three processes keep two processors busy. A file's tests stay in one process,
#: and the files keep their order: the slow ones, with servers and browsers, come first.
PARTS = (
    ("-n", "2", "--dist", "loadfile", "tests/sandbox_api"),
    ("-n", "3", "--dist", "loadfile", "--no-loadscope-reorder"),
)
#: Programs that some tests start, each with its other names.
PROGRAMS = (
    ("chromium", "chromium-browser", "google-chrome"),
    ("firefox-esr", "firefox"),
    ("redis-server",),
    ("redis-sentinel",),
    ("nginx",),
    ("node",),
    ("npm",),
    ("bash",),
    ("openssl",),
    ("jq",),
    ("setpriv",),
    ("kubectl",),
    ("systemd-analyze",),
    ("prometheus",),
    ("promtool",),
)
#: Minutes, on two processors with nothing else to do: what is said before the first run on a machine.
MEASURED_MINUTES = 34
#: Holds how long the last whole run took, in seconds. `make clean` removes it.
LAST_RUN = ROOT / ".pytest_cache" / "whole_suite_seconds"


def main(*, parts: Sequence[Sequence[str]] = PARTS, last_run: Path = LAST_RUN) -> int:
    """Run all parts, up to the first that fails; gives its exit status."""
    say(announcement(last_run), missing_programs())
    began = time.monotonic()
    for options in parts:
        status = subprocess.run([sys.executable, "-m", "pytest", *options], cwd=ROOT, check=False).returncode
        if status:
            return status
    seconds = time.monotonic() - began
    last_run.parent.mkdir(exist_ok=True)
    last_run.write_text(f"{seconds:.0f}\n")
    say(f"The whole suite took {in_minutes(seconds)}.", missing_programs())
    return 0


def announcement(last_run: Path) -> str:
    """How long the run will take."""
    with suppress(OSError, ValueError):
        return f"The whole suite: the last run here took {in_minutes(float(last_run.read_text()))}."
    return f"The whole suite takes about {MEASURED_MINUTES} minutes on two processors."


def missing_programs(programs: Sequence[Sequence[str]] = PROGRAMS) -> str:
    """Which programs are not here, and what becomes of their tests."""
    missing = [names[0] for names in programs if found_tool(*names) is None]
    if not missing:
        return "Every program that a test needs is on this machine."
    what = "fail, because CI is set" if os.environ.get("CI") else "are skipped"
    return f"Not on this machine: {', '.join(missing)}. The tests that need them {what}."


def in_minutes(seconds: float) -> str:
    """A duration for people."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def say(*lines: str) -> None:
    """Print lines before what the next process prints."""
    sys.stdout.write("\n".join([*lines, ""]))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
