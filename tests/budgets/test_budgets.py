"""No page takes more than its budget, and no budget is far more than its page takes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import pytest

from portal.config.projects import PROJECTS
from tests.budgets.measurement import measure
from tests.budgets.table import Misfit, misfits, read_table, unmatched

#: Seconds. The first test of an app measures its pages.
pytestmark = pytest.mark.timeout(900)
APPS = [project.app for project in PROJECTS]
WRITE = "`python -m tests.budgets --write` renews the table"
TOO_MUCH = f"Make the page cheaper, or raise its ceiling ({WRITE}) and give the reason in CHANGELOG.md."
measured_of = cache(measure)


@pytest.mark.parametrize("app", APPS)
def test_each_page_has_a_budget_and_each_budget_a_page(app: str) -> None:
    assert unmatched(measured_of(app), read_table().get(app, {})) == [], WRITE


@pytest.mark.parametrize("app", APPS)
def test_no_page_is_over_its_budget(app: str) -> None:
    over = [each for each in found_in(app) if each.is_over]
    if over:
        pytest.fail(f"{told(over)}\n{TOO_MUCH}", pytrace=False)


@pytest.mark.parametrize("app", APPS)
def test_no_budget_is_too_large_by_a_tenth(app: str) -> None:
    below = [each for each in found_in(app) if not each.is_over]
    if below:
        pytest.fail(f"{told(below)}\nWhat has become cheaper should stay so: {WRITE}.", pytrace=False)


def found_in(app: str) -> list[Misfit]:
    return misfits(measured_of(app), read_table().get(app, {}))


def told(found: Iterable[Misfit]) -> str:
    return "".join(f"\n{each}" for each in found)
