"""What a benchmark is to reach: each target with what came of it, and an exit status that says whether all were met."""

from __future__ import annotations

import sys


class Targets:
    """The targets of one run.

    :param smoke: whether it is a short run, whose figures say nothing: then a missed target does not end it with 1.
    """

    def __init__(self, *, smoke: bool) -> None:
        self.smoke = smoke
        self.missed: list[str] = []

    def hold(self, what: str, wanted: str, *, met: bool) -> None:
        """Print one of them: what was measured, and what was wanted."""
        print(f"{'met   ' if met else 'MISSED'} {what} (target: {wanted})")
        if not met:
            self.missed.append(what)

    def end(self) -> None:
        """End the process with status 1 if one was missed."""
        if self.missed and not self.smoke:
            sys.exit(1)
