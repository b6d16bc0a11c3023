"""Each table of docs/reference/measured.md is of a commit, and a table that is older than its code is named."""

import re
import sys
import time
import warnings
from pathlib import Path

import pytest

from benchmarks.__main__ import MODULES
from benchmarks.harness import measured
from benchmarks.harness.measured import PAGE, TABLE, write
from tests.support.checkout_copy import git
from tests.support.harness import ROOT

TEXT, GONE = PAGE.read_text().split("## No longer measured\n")
TABLES = list(TABLE.finditer(TEXT))


class OldTableWarning(UserWarning):
    """A table is older than the code that it measures."""


def test_every_table_is_written_by_a_benchmark() -> None:
    assert len(TABLES) == TEXT.count("<!-- bench ") == TEXT.count("<!-- end -->") >= 10
    assert len({table["name"] for table in TABLES}) == len(TABLES)
    assert [line for line in TABLE.sub("", TEXT).splitlines() if line.startswith("|")] == []
    assert "<!-- " not in GONE


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table["name"])
def test_table_names_its_benchmark_and_its_paths(table: re.Match[str]) -> None:
    benchmark = table["name"].split()[0]
    assert table["command"].split()[1] == benchmark
    source = ROOT / f"{MODULES[benchmark].replace('.', '/')}.py"
    assert "writes=True" in source.read_text()
    assert [path for path in table["paths"].split() if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table["name"])
@pytest.mark.filterwarnings("default:the table of bench")
def test_table_warns_if_its_code_changed(table: re.Match[str]) -> None:
    if git(ROOT, "rev-parse", "--is-shallow-repository") != "false":
        pytest.skip("needs all commits of the repository")
    git(ROOT, "merge-base", "--is-ancestor", table["commit"], "HEAD")
    since = git(ROOT, "log", "--format=%h", f"{table['commit']}..HEAD", "--", *table["paths"].split()).split()
    if since:
        warnings.warn(
            f"the table of bench {table['name']} is {len(since)} commits older than the code that it measures: "
            f"`./manage.py {table['command']} --write` renews it",
            OldTableWarning,
            stacklevel=1,
        )


def test_table_is_written_with_command_day_and_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "measured.md"
    old = "<!-- bench {}: packages apps -->\n`./manage.py bench pages` (2026-11-22, d1bfe3bc):\n\nold\n<!-- end -->\n\n"
    page.write_text(f"# Title\n\n{old.format('pages')}{old.format('pages --next')}The end.\n")
    monkeypatch.setattr(measured, "PAGE", page)
    monkeypatch.setattr(measured, "ROOT", tmp_path)
    monkeypatch.setattr(measured, "_git", lambda *_: "0123abcd")
    monkeypatch.setattr(sys, "argv", ["/x/pages.py", "--next", "--write", "--rounds", "3"])
    write("pages --next", "| a |\n|---|\n| 1 |", "90 MiB.")
    line = f"`./manage.py bench pages --next --rounds 3` ({time.strftime('%Y-%m-%d')}, 0123abcd):"
    assert page.read_text() == (
        f"# Title\n\n{old.format('pages')}<!-- bench pages --next: packages apps -->\n{line}\n\n"
        "| a |\n|---|\n| 1 |\n\n90 MiB.\n<!-- end -->\n\nThe end.\n"
    )
    with pytest.raises(SystemExit, match="stands there 0 times"):
        write("edge", "| a |")
