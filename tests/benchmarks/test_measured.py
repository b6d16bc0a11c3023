"""Each table of docs/reference/measured.md is of a commit, and a table that is older than what it measures is named."""

from __future__ import annotations

import re
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from benchmarks import _measured
from benchmarks.__main__ import NAMES
from benchmarks._measured import PAGE, Measured, tables_of, write
from tests.support.harness import ROOT

TABLES = list(tables_of(PAGE.read_text()))
#: What of the page no benchmark measures, or several do.
BY_HAND: list[str] = []


class OldTableWarning(UserWarning):
    """A table is older than what it measures."""


def git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def has_all_commits() -> bool:
    run = subprocess.run(
        ["git", "rev-parse", "--is-shallow-repository"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return run.stdout.strip() == "false"


def fault_of(table: Measured) -> str | None:
    """What is wrong with the comment of a table; None if nothing is."""
    benchmark = table.name.split()[0]
    if benchmark not in NAMES or table.command.split()[1] != benchmark:
        return f"there is no benchmark {benchmark}, or another one measured it: {table.command}"
    missing = [path for path in table.paths if not (ROOT / path).exists()]
    return f"there is no {', '.join(missing)}" if missing else None


def test_every_table_of_the_page_is_written_by_a_benchmark() -> None:
    page = PAGE.read_text()
    assert len(TABLES) == page.count("<!-- bench ") == page.count("<!-- end -->") >= 10
    assert len({table.name for table in TABLES}) == len(TABLES)
    outside = re.sub(r"^<!-- bench .*?^<!-- end -->$", "", page, flags=re.DOTALL | re.MULTILINE)
    assert [line for line in outside.splitlines() if line.startswith("|")] == BY_HAND


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_its_benchmark_and_its_paths_are_there(table: Measured) -> None:
    assert fault_of(table) is None
    source = (ROOT / f"benchmarks/{table.name.split()[0]}.py").read_text()
    assert "writes=True" in source


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
@pytest.mark.filterwarnings("default:the table of bench")
def test_its_commit_is_there_and_who_changes_what_it_measures_is_told(table: Measured) -> None:
    if not has_all_commits():
        pytest.skip("needs all commits of the repository")
    git("merge-base", "--is-ancestor", table.commit, "HEAD")
    since = git("log", "--format=%h", f"{table.commit}..HEAD", "--", *table.paths).split()
    if since:
        warnings.warn(
            f"the table of bench {table.name} is {len(since)} commits older than what it measures: "
            f"`./manage.py {table.command} --write` renews it",
            OldTableWarning,
            stacklevel=1,
        )


def measured(**values: object) -> Measured:
    return Measured(**{"name": "api", "paths": (), "command": "bench api", "day": "", "commit": "", **values})  # type: ignore[arg-type]


def test_a_comment_that_names_what_there_is_not_is_found() -> None:
    assert fault_of(measured()) is None
    assert "no benchmark nothing" in str(fault_of(measured(name="nothing --next", command="bench nothing")))
    assert "another one measured it" in str(fault_of(measured(command="bench edge")))
    assert fault_of(measured(paths=("packages", "packages/none"))) == "there is no packages/none"


def test_a_table_is_written_in_its_place_with_command_day_and_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "measured.md"
    places = "".join(
        f"<!-- bench {name}: packages apps -->\n`./manage.py bench pages` (2026-11-22, d1bfe3bc):\n\nold\n<!-- end -->\n\n"
        for name in ("pages", "pages --next")
    )
    page.write_text(f"# Title\n\n{places}The end.\n")
    monkeypatch.setattr(_measured, "PAGE", page)
    monkeypatch.setattr(_measured, "ROOT", tmp_path)
    monkeypatch.setattr(_measured, "_git", lambda *_: "0123abcd")
    monkeypatch.setattr(sys, "argv", ["/x/pages.py", "--next", "--write", "--rounds", "3"])
    write("pages --next", "| a |\n|---|\n| 1 |", "90 MiB.")
    today = time.strftime("%Y-%m-%d")
    assert page.read_text() == (
        "# Title\n\n<!-- bench pages: packages apps -->\n`./manage.py bench pages` (2026-11-22, d1bfe3bc):\n\nold\n"
        "<!-- end -->\n\n<!-- bench pages --next: packages apps -->\n"
        f"`./manage.py bench pages --next --rounds 3` ({today}, 0123abcd):\n\n| a |\n|---|\n| 1 |\n\n90 MiB.\n"
        "<!-- end -->\n\nThe end.\n"
    )
    with pytest.raises(SystemExit, match="stands there 0 times"):
        write("edge", "| a |")
