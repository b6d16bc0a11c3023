"""`python -m tests.budgets`: which pages do not fit their budgets. `--write` renews these."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from portal.config.projects import PROJECTS
from tests.budgets.measurement import measure
from tests.budgets.table import TABLE, misfits, read_table, renewed, unmatched, write_table


def main(words: Sequence[str] | None = None, *, path: Path = TABLE) -> int:
    """Print what does not fit, and renew it if that is wanted; gives the exit status, 1 if something does not fit."""
    parser = argparse.ArgumentParser(prog="python -m tests.budgets", description=__doc__)
    parser.add_argument("--write", action="store_true", help="renew what does not fit; all else stays")
    options = parser.parse_args(words)
    table, measured = read_table(path), {project.app: measure(project.app) for project in PROJECTS}
    lines = [
        f"{app}: {line}\n"
        for app, pages in measured.items()
        for line in (*unmatched(pages, table.get(app, {})), *map(str, misfits(pages, table.get(app, {}))))
    ]
    sys.stdout.writelines(lines)
    if options.write:
        write_table({app: renewed(pages, table.get(app, {})) for app, pages in measured.items()}, path)
    return int(bool(lines) and not options.write)


if __name__ == "__main__":
    sys.exit(main())
