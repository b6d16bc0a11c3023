"""Targets of a benchmark, each with its result, and an exit status that says whether all were met."""

import sys

from benchmarks.harness.measured import table, write


class Targets:
    """Targets of one run.

    :param smoke: True for a short run, whose missed targets do not end it with 1.
    """

    def __init__(self, *, smoke: bool) -> None:
        self.smoke = smoke
        self.missed: list[str] = []
        self.rows: list[tuple[str, str]] = []

    def hold(self, result: str, wanted: str, *, met: bool) -> None:
        """Print a result with its target."""
        print(f"{'met   ' if met else 'MISSED'} {result} (target: {wanted})")
        self.rows.append((result, wanted))
        if not met:
            self.missed.append(result)

    def tell(self, result: str) -> None:
        """Print a result that has no target, such as a number of this machine."""
        print(f"       {result}")
        self.rows.append((result, ""))

    def write(self, name: str) -> None:
        """Write the results into the page, as the table of this benchmark."""
        write(name, table(("measured", "target"), self.rows))

    def end(self) -> None:
        """End the process with status 1 if a target was missed."""
        if self.missed and not self.smoke:
            sys.exit(1)
