"""`make test-fast`: in about a minute the tests nearest to what you changed, by imports.

Changed is what differs from the branch `main`, with files that are new. The nearest tests import a changed module
themselves, the next ones import a module that does.
"""

import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import grimp

from tests.jobs import OPTIONS, ROOT, SANDBOX, changed_files, run_pytest, say

PACKAGES: Final = (*sorted(path.parent.name for path in (ROOT / "packages").glob("*/__init__.py")), "apps", "tests")
#: How many test modules run in about a minute.
MOST: Final = 40
#: What starts processes: servers, browsers, shells.
STARTERS: Final = {"subprocess", "multiprocessing", "playwright"}
HARNESS: Final = "tests.support.harness"


def main() -> int:
    """Run the nearest tests, after a line that says which are left out; gives the exit status."""
    changed = changed_files(base()) or []
    nearest, slow, far = choose(changed)
    unseen = [file for file in changed if not file.endswith(".py")]
    say(
        f"{len(nearest)} test modules run. Left out: {len(far)} that are further away, {len(slow)} that start processes"
        + (f", and what reads {', '.join(unseen)}" if unseen else "")
    )
    # The sandbox's tests have settings of their own.
    of_the_sandbox = [file for file in nearest if file.startswith(SANDBOX)]
    runs = [of_the_sandbox, [file for file in nearest if file not in of_the_sandbox]]
    return max((run_pytest(*OPTIONS, *files) for files in runs if files), default=0)


def base() -> str:
    """Where this branch left `main`; the last commit where there is no such branch."""
    run = subprocess.run(["git", "merge-base", "HEAD", "main"], cwd=ROOT, capture_output=True, text=True, check=False)
    return run.stdout.strip() or "HEAD"


def choose(changed: Iterable[str]) -> tuple[list[str], list[str], list[str]]:
    """Of the test modules that these files concern: the nearest, those that start processes, and those further away."""
    graph = grimp.build_graph(*PACKAGES, include_external_packages=True, cache_dir=None)
    ranks: dict[str, tuple[int, bool]] = {}
    for module in modules_of(changed) & graph.modules:
        mirror = f"tests.{module.rpartition('.')[0]}."
        for test in filter(is_test, {module, *graph.find_downstream_modules(module)}):
            steps = 0 if test == module else len(graph.find_shortest_chain(test, module) or ())
            rank = steps, not test.startswith(mirror)
            ranks[test] = min(rank, ranks.get(test, rank))
    slow = {test for test in ranks if starts_processes(graph, test)}
    near = sorted(ranks.keys() - slow, key=lambda test: (ranks[test], test))
    return files_of(near[:MOST]), files_of(sorted(slow)), files_of(near[MOST:])


def modules_of(changed: Iterable[str]) -> set[str]:
    """The modules that these files are. A `conftest.py` counts as all tests below its folder."""
    found = set()
    for path in map(Path, changed):
        tests = (
            path.parent.rglob("test_*.py") if path.name == "conftest.py" and path.parent != Path("tests") else [path]
        )
        for file in tests:
            parts = file.with_suffix("").parts
            found.add(".".join(parts[parts[0] == "packages" :]).removesuffix(".__init__"))
    return found


def is_test(module: str) -> bool:
    return module.startswith("tests.") and module.rpartition(".")[2].startswith("test_")


def starts_processes(graph: grimp.ImportGraph, test: str) -> bool:
    """Whether a test module imports what starts processes, or a helper of the tests that does."""
    for imported in graph.find_modules_directly_imported_by(test):
        if imported == HARNESS:
            lines = graph.get_import_details(importer=test, imported=HARNESS)
            found = any(not line["line_contents"].endswith(" import ROOT") for line in lines)
        else:
            helper = graph.find_modules_directly_imported_by(imported) if imported.startswith("tests.") else {imported}
            found = bool(helper & STARTERS)
        if found:
            return True
    return False


def files_of(modules: Sequence[str]) -> list[str]:
    return [f"{module.replace('.', '/')}.py" for module in modules]


if __name__ == "__main__":
    sys.exit(main())
