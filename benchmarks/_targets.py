"""What a benchmark is to reach: each target with what came of it, and an exit status that says whether all were met."""

from __future__ import annotations

import sys

from benchmarks._measured import table


class Targets:
    """The targets of one run.

    :param smoke: whether it is a short run, whose figures say nothing: then a missed target does not end it with 1.
    """

    def __init__(self, *, smoke: bool) -> None:
        self.smoke = smoke
        self.missed: list[str] = []
        self._rows: list[tuple[str, str]] = []

    def hold(self, what: str, wanted: str, *, met: bool) -> None:
        """Print one of them: what was measured, and what was wanted."""
        print(f"{'met   ' if met else 'MISSED'} {what} (target: {wanted})")
        self._rows.append((what, wanted))
        if not met:
            self.missed.append(what)

    def tell(self, what: str) -> None:
        """Print what was measured and has no target: a number of this machine, say."""
        print(f"       {what}")
        self._rows.append((what, ""))

    def table(self) -> str:
        """What was measured, with the targets."""
        return table(("measured", "target"), self._rows)

    def end(self) -> None:
        """End the process with status 1 if one was missed."""
        if self.missed and not self.smoke:
            sys.exit(1)
