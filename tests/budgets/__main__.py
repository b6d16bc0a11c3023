"""`python -m tests.budgets`: which pages take more or less than the table allows. `--write` renews the table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from portal.config.projects import PROJECTS
from tests.budgets.measurement import measure
from tests.budgets.table import misfits, read_table, renewed, write_table


def main(words: Sequence[str] | None = None) -> int:
    """Print what does not fit; gives the exit status: 1 if there is anything, and the table stays."""
    parser = argparse.ArgumentParser(prog="python -m tests.budgets", description=__doc__)
    parser.add_argument("--write", action="store_true", help="renew what does not fit; other figures stay as they are")
    options = parser.parse_args(words)
    table, measured = read_table(), {project.app: measure(project.app) for project in PROJECTS}
    lines = [str(each) for app, pages in measured.items() for each in misfits(pages, table.get(app, {}))]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    new = {app: renewed(pages, table.get(app, {})) for app, pages in measured.items()}
    if options.write:
        write_table(new)
    return int(new != table and not options.write)


if __name__ == "__main__":
    sys.exit(main())
