"""`python -m tests.mutants`: does a test fail for each change that breaks a rule? Exits with 1 if not."""

import argparse
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.jobs import say
from tests.mutants.mutant import FOLDER, Mutant, read_mutants
from tests.mutants.runner import Outcome, Verdict, try_mutants
from tests.support.harness import ROOT


def main(words: Sequence[str] | None = None, *, source: Path = ROOT, folder: Path = FOLDER) -> int:
    """Try the mutants that the words choose, of the lists in `folder`; gives the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("areas", nargs="*", metavar="AREA", help="lists; all of them without one")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="mutants side by side")
    parser.add_argument("--only", default="", help="a number in the list, or a part of a mutant's file, rule or change")
    parser.add_argument("--suite", type=Path, help="a checkout whose tests judge, in place of this one's")
    options = parser.parse_args(words)
    mutants = [each for each in read_mutants(options.areas, folder=folder) if _is_chosen(each, options.only)]
    if not mutants:
        parser.error("no such mutant")
    outcomes = try_mutants(mutants, tell=_tell, jobs=options.jobs, source=source, suite=options.suite)
    counts = Counter(each.verdict for each in outcomes)
    say(f"{len(outcomes)} mutants: " + ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict))
    return 0 if counts[Verdict.KILLED] == len(outcomes) else 1


def _is_chosen(mutant: Mutant, only: str) -> bool:
    if only.isdecimal():
        return mutant.number == int(only)
    return only in f"{mutant.file} {mutant.rule} {mutant.old} {mutant.new}"


def _tell(outcome: Outcome) -> None:
    say(f"{outcome.verdict.value:8} {outcome.mutant}" + (f" [{outcome.why}]" if outcome.why else ""))


if __name__ == "__main__":
    # The copies are removed and all processes are ended, as by Ctrl-C.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main())
