"""No page takes more than its budget, and no budget is far more than its page takes."""

from pathlib import Path

import pytest

from tests.budgets import table
from tests.budgets.measuring import measure
from tests.budgets.pages import PAGES
from tests.budgets.table import FIGURES, misfits, read_table, write_table

#: A page's figures.
ROW = dict.fromkeys(FIGURES, 0) | {
    "status": 200,
    "store": 3,
    "functions": 1000,
    "files": 50,
    "html": 10_000,
    "script": 5000,
}
ADVICE = (
    "Make the page cheaper, or renew the table by `python -m tests.budgets` and give the reason in CHANGELOG.md. "
    "What has become cheaper should stay so: renew it too."
)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("app", PAGES)
def test_each_page_fits_its_budget(app: str) -> None:
    found = misfits(measure(app), read_table().get(app, {}))
    if found:
        pytest.fail("\n".join([*found, ADVICE]), pytrace=False)


@pytest.fixture(autouse=True)
def this_python(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Compare functions in examples, whatever Python this is."""
    if "app" not in request.fixturenames:
        monkeypatch.setattr(table, "PYTHON", table.sys.version_info[:2])


@pytest.mark.parametrize(
    ("figure", "fits", "misfit"),
    [
        ("status", [200], [201, 199]),
        ("calls_full", [0], [1]),
        ("store", [3], [2, 4]),
        ("functions", [900, 1030], [899, 1031]),
        ("files", [45, 50], [44, 51]),
        ("html", [9000, 10_100], [8999, 10_101]),
        ("script", [4500, 5000], [4499, 5001]),
    ],
)
def test_figure_fits_within_its_slack(figure: str, fits: list[int], misfit: list[int]) -> None:
    found = [len(misfits({"page": ROW | {figure: value}}, {"page": ROW})) for value in (*fits, *misfit)]
    assert found == [0] * len(fits) + [1] * len(misfit)


def test_functions_of_another_python_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "PYTHON", (3, 10))
    assert misfits({"page": ROW | {"functions": 5000}}, {"page": ROW}) == []


def test_misfits_name_page_and_figure() -> None:
    assert misfits({"a": ROW | {"functions": 1200}, "new": ROW}, {"a": ROW, "gone": ROW}) == [
        "gone has no budget, or is not measured",
        "new has no budget, or is not measured",
        "a, calls of functions at the third view: 1,200, where the table has 1,000",
    ]


def test_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    apps = {"energy": {"/b": ROW, "/a?b=1,2": ROW | {"store": 1}}, "finance": {"/c": ROW}}
    write_table(apps, tmp_path / "table")
    assert read_table(tmp_path / "table") == apps
