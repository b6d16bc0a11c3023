"""Options that every benchmark has, its end on SIGTERM, and its message about a program that the machine lacks."""

import argparse
import signal
import sys
from pathlib import Path
from typing import Final, NoReturn

from benchmarks.harness.measured import PAGE, uncommitted_code
from benchmarks.harness.servers import ROOT
from tests.support.processes import found_tool

#: Exit status of a benchmark that needs something that this machine lacks.
SKIPPED: Final = 77


def parser_of(description: str | None, *, writes: bool = False) -> argparse.ArgumentParser:
    """Return the parser of a benchmark, with its module's description.

    :param writes: True if it has a table in docs/reference/measured.md.
    """
    name = Path(sys.argv[0]).stem
    parser = argparse.ArgumentParser(
        prog=f"./manage.py bench {name}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--smoke", action="store_true", help="a short run of the same code to its end; a missed target is no failure"
    )
    if writes:
        parser.add_argument("--write", action="store_true", help=f"write the table of {PAGE.relative_to(ROOT)}")
    return parser


def options_of(parser: argparse.ArgumentParser, **short: object) -> argparse.Namespace:
    """Return the options. From here on SIGTERM ends the benchmark, and the processes that it started, as an error does.

    :param short: defaults of a short run.
    """
    if parser.parse_args().smoke:
        parser.set_defaults(**short)
    options = parser.parse_args()
    if getattr(options, "write", False):
        if options.smoke:
            parser.error("a short run has no figures to write")
        if changed := uncommitted_code():
            parser.error(f"figures are written with their commit: commit what has changed first\n{changed}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    return options


def need(*names: str) -> None:
    """Skip the benchmark unless the machine has one of these programs."""
    if found_tool(*names) is None:
        skip(f"{' or '.join(names)} is not on this machine")


def skip(why: str) -> NoReturn:
    """End the benchmark, since this machine lacks something."""
    print(f"skipped: {why}")
    sys.exit(SKIPPED)
