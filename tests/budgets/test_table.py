"""The table of budgets: what fits a ceiling, and what `python -m tests.budgets` makes of what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from portal.config.projects import PROJECTS
from tests.budgets import __main__ as command
from tests.budgets import table
from tests.budgets.table import FIGURES, Pages, misfits, read_table, renewed, unmatched, write_table

#: A page's figures.
ROW = dict.fromkeys(FIGURES, 0) | {"status": 200, "store": 3, "functions": 1000, "html": 10_000, "script": 5000}


@pytest.fixture(autouse=True)
def _this_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "PYTHON", table.sys.version_info[:2])


def misfit(**measured: int) -> list[str]:
    """The figures of a page that do not fit."""
    return [each.figure for each in misfits({"page": ROW | measured}, {"page": ROW})]


@pytest.mark.parametrize(
    ("figure", "fits", "does_not"),
    [
        ("status", [200], [201, 199]),
        ("calls_full", [0], [1]),
        ("store", [3], [2, 4]),
        ("functions", [900, 1030], [899, 1031]),
        ("html", [9000, 10_100], [8999, 10_101]),
        ("script", [4500, 5000], [4499, 5001]),
    ],
)
def test_a_figure_fits_up_to_its_slack_and_down_to_a_tenth(figure: str, fits: list[int], does_not: list[int]) -> None:
    assert [misfit(**{figure: value}) for value in fits] == [[] for _ in fits]
    assert [misfit(**{figure: value}) for value in does_not] == [[figure] for _ in does_not]


def test_the_functions_of_another_python_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "PYTHON", (3, 10))
    assert misfit(functions=5000, store=4) == ["store"]


def test_what_does_not_fit_says_where_and_by_how_much() -> None:
    [found] = misfits({"energy/clients": ROW | {"functions": 1200}}, {"energy/clients": ROW})
    assert str(found) == "energy/clients, calls of functions at the third view: 1,200, where the table has 1,000"
    assert found.is_over


def test_a_page_without_a_budget_and_a_budget_without_a_page_are_named() -> None:
    assert unmatched({"new": ROW}, {"gone": ROW}) == ["new has no budget", "gone has a budget, and is no page"]


def test_a_renewed_table_keeps_what_fits() -> None:
    measured = {"page": ROW | {"html": 10_050, "functions": 500}, "new": ROW}
    assert renewed(measured, {"page": ROW, "gone": ROW}) == {"page": ROW | {"functions": 500}, "new": ROW}


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    apps = {"energy": {"b": ROW, 'a, "quoted"': ROW | {"store": 1}}, "finance": {"c": ROW}}
    write_table(apps, tmp_path / "table")
    assert read_table(tmp_path / "table") == apps
    assert (tmp_path / "table").read_text().splitlines()[2].startswith("energy,b,200,0")


def test_the_command_names_what_does_not_fit_and_renews_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, last = tmp_path / "table", PROJECTS[-1].app
    measured: dict[str, Pages] = {project.app: {"page": ROW} for project in PROJECTS}
    write_table(
        {app: pages for app, pages in measured.items() if app != last} | {last: {"page": ROW | {"store": 2}}}, path
    )
    monkeypatch.setattr(command, "measure", measured.get)
    assert command.main([], path=path) == 1
    assert (
        capsys.readouterr().out
        == f"{last}: page, operations on the store at the second view: 3, where the table has 2\n"
    )
    assert command.main(["--write"], path=path) == 0
    assert read_table(path) == measured
    assert command.main([], path=path) == 0
