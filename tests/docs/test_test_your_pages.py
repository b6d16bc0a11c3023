"""The how-to on testing pages: its files, written to the letter, pass; and its tables name what there is."""

import inspect
import re
from pathlib import Path

import portal.testing
from portal.testing import Backend
from tests.support.harness import ROOT
from tests.support.nested_pytest import run_pytest

PAGE = (ROOT / "docs" / "how-to" / "test-your-pages.md").read_text()


def test_the_files_of_the_page_pass(tmp_path: Path) -> None:
    files = dict(
        re.findall(r"`tests/apps/finance/(\w+\.py)`[^`]*(?:`[^`]+`[^`]*)?\n\n```python\n(.*?)```", PAGE, re.DOTALL)
    )
    assert set(files) == {"conftest.py", "test_my_pages.py"}
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["portal.testing"]\n')
    folder = tmp_path / "finance"
    folder.mkdir()
    for name, code in files.items():
        (folder / name).write_text(code)
    result = run_pytest(tmp_path)
    tests = len(re.findall(r"^def test_", files["test_my_pages.py"], re.MULTILINE))
    assert tests == 8
    assert re.search(r"^=+ 10 passed", result.stdout, re.MULTILINE), result.stdout


def test_the_lists_name_every_fixture_and_every_method_and_none_else() -> None:
    first, second = PAGE.split("The fixtures:")[1].split("`backend` has\n")
    fixtures = {name for name, value in vars(portal.testing).items() if isinstance(value, type(portal.testing.backend))}
    assert set(re.findall(r"^- `(\w+)", first, re.MULTILINE)) == fixtures
    methods = {name for name, _ in inspect.getmembers(Backend, inspect.isfunction) if not name.startswith("_")}
    named = {name for row in re.findall(r"^- (`.*?): ", second, re.MULTILINE) for name in re.findall(r"`(\w+)", row)}
    assert named == methods | {"calls"}
