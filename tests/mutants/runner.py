"""Runs tests in copies of the checkout, each with one mutant. The checkout itself stays as it is."""

import dataclasses
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from enum import Enum
from pathlib import Path

from tests.mutants.mutant import Mutant, WrongMutantError
from tests.support import contained_run
from tests.support.checkout_copy import fresh_clone
from tests.support.harness import ROOT, clean_environment, with_own
from tests.support.linked_environment import link_environment

#: Seconds for the tests of one mutant.
TIME_LIMIT_S = 300
#: What a run of tests leaves in a checkout, and the environment, which names the folder it is in.
LEFT = shutil.ignore_patterns(".venv", ".state", ".hypothesis", ".pytest_cache")


class Verdict(Enum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "SURVIVED"
    WRONG = "WRONG"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The verdict on one mutant, and why: the first test that failed, or what is wrong with the entry."""

    mutant: Mutant
    verdict: Verdict
    why: str


def try_mutants(
    mutants: Sequence[Mutant],
    *,
    tell: Callable[[Outcome], None],
    jobs: int = 1,
    source: Path = ROOT,
    suite: Path | None = None,
    time_limit_s: float = TIME_LIMIT_S,
) -> list[Outcome]:
    """Try each mutant; `tell` gets each outcome as soon as it is there.

    :param jobs: how many run side by side.
    :param source: the checkout whose code is changed, in copies.
    :param suite: a checkout whose `tests` take the place of those of `source`.
    """
    processes: set[subprocess.Popen[bytes]] = set()
    with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder:
        runs = _Runs(Path(folder), processes, time_limit_s)
        runs.prepare(source, suite)
        pool = ThreadPoolExecutor(jobs)
        try:
            lists = sorted({mutant.tests for mutant in mutants})
            unchanged = dict(zip(lists, pool.map(runs.unchanged, lists), strict=True))
            outcomes = []
            for future in as_completed([pool.submit(runs.outcome, each, unchanged[each.tests]) for each in mutants]):
                outcomes.append(future.result())
                tell(outcomes[-1])
        finally:
            # Nothing is left to cancel or to end, unless this was interrupted.
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(processes):
                process.terminate()
            pool.shutdown()
    return outcomes


@dataclasses.dataclass
class _Runs:
    """Runs of pytest in copies below one folder."""

    folder: Path
    processes: set[subprocess.Popen[bytes]]
    time_limit_s: float

    def prepare(self, source: Path, suite: Path | None) -> None:
        """Make the unchanged copy that all others are made from."""
        self.base = fresh_clone(self.folder / "base", source=source)
        if suite is not None:
            shutil.rmtree(self.base / "tests")
            shutil.copytree(suite / "tests", self.base / "tests", ignore=shutil.ignore_patterns("__pycache__"))
        link_environment(self.base)

    def unchanged(self, tests: tuple[str, ...]) -> str:
        """Why these tests judge no mutant: they fail without one as well. Empty if they pass."""
        status, failed = self._pytest(self.base, tests)
        return f"without the change: {failed or status}" if status else ""

    def outcome(self, mutant: Mutant, unfit: str) -> Outcome:
        if unfit:
            return Outcome(mutant, Verdict.WRONG, unfit)
        copy = self.folder / f"{mutant.area}-{mutant.number}"
        try:
            mutant.changed_text(self.base)
            shutil.copytree(self.base, copy, ignore=LEFT)
            link_environment(copy)
            mutant.apply(copy)
            status, failed = self._pytest(copy, mutant.tests)
        except WrongMutantError as error:
            return Outcome(mutant, Verdict.WRONG, str(error))
        finally:
            shutil.rmtree(copy, ignore_errors=True)
        return Outcome(mutant, Verdict.KILLED if status else Verdict.SURVIVED, failed)

    def _pytest(self, checkout: Path, tests: Sequence[str]) -> tuple[int, str]:
        """Gives the exit status, and the first test that failed."""
        with tempfile.TemporaryDirectory(dir=self.folder, ignore_cleanup_errors=True) as temporary:
            log = Path(temporary, "log")
            command = [
                *(sys.executable, "-P", contained_run.__file__, str(self.time_limit_s)),
                *(str(checkout / ".venv/bin/python"), "-m", "pytest", "-x", "-q", "--tb=no", "-p", "no:cacheprovider"),
                *("--rootdir", str(checkout), *tests),
            ]
            # The copy's environment has the copy's packages; those of this process would come before them.
            environment = with_own(clean_environment(PYTHONPATH=None, TMPDIR=temporary))
            with log.open("wb") as output:
                process = subprocess.Popen(command, cwd=checkout, env=environment, stdout=output, stderr=output)
                self.processes.add(process)
                status = process.wait()
                self.processes.discard(process)
            if status == contained_run.TIME_IS_OVER:
                return status, f"no end after {self.time_limit_s} s"
            said = log.read_text(errors="replace")
            failed = re.search(r"^(?:FAILED|ERROR) (\S+)", said, re.MULTILINE)
        if failed or not status:
            return status, failed[1] if failed else ""
        return status, " ".join(said.split())[-300:]
