"""`make test-fast` runs the tests that are nearest to a change, and says which it leaves out."""

from pathlib import Path

import pytest

from tests import fast
from tests.fast import MOST, base, choose
from tests.support.checkout_copy import git
from tests.support.harness import ROOT


def test_tests_that_import_the_changed_module_come_first_and_those_of_its_folder_before_others() -> None:
    nearest, _, far = choose(["packages/portal/config/limits.py"])
    assert len(nearest) == MOST
    assert nearest[0] == "tests/portal/config/test_limits.py"
    assert "import" in (ROOT / nearest[1]).read_text().partition("limits")[0]
    assert far


def test_what_starts_processes_is_left_out() -> None:
    nearest, slow, _ = choose(["packages/portal/config/projects.py"])
    assert {"tests/test_jobs.py", "tests/browser/test_drafts.py", "tests/functional/test_exports.py"} <= {*slow}
    assert [file for file in nearest if "\nimport subprocess" in (ROOT / file).read_text()] == []


def test_changed_tests_run_themselves_and_a_changed_conftest_those_of_its_folder() -> None:
    assert choose(["tests/portal/edge/test_request_kind.py"])[0] == ["tests/portal/edge/test_request_kind.py"]
    below = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests/portal_pages/forms").rglob("test_*.py"))
    nearest, slow, _ = choose(["tests/portal_pages/forms/conftest.py"])
    assert sorted([*nearest, *slow]) == below


def test_it_says_what_it_leaves_out_and_gives_the_tests_own_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs: list[list[str]] = []

    def run_pytest(*words: str) -> int:
        runs.append([word for word in words if word.startswith("tests/")])
        return len(runs) - 1

    monkeypatch.setattr(fast, "run_pytest", run_pytest)
    files = [
        "tests/portal/edge/test_request_kind.py",
        "tests/sandbox_api/test_ids.py",
        "tests/test_jobs.py",
        "docs/README.md",
    ]
    monkeypatch.setattr(fast, "changed_files", lambda _: files)
    assert fast.main() == 1
    assert runs == [["tests/sandbox_api/test_ids.py"], ["tests/portal/edge/test_request_kind.py"]]
    assert capsys.readouterr().out == (
        "2 test modules run. Left out: 0 that are further away, 1 that start processes, and what reads docs/README.md\n"
    )
    monkeypatch.setattr(fast, "changed_files", lambda _: [])
    assert fast.main() == 0
    assert len(runs) == 2


def test_a_branch_is_compared_with_the_commit_where_it_left_main(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fast, "ROOT", tmp_path)
    git(tmp_path, "init", "-b", "main")
    git(tmp_path, "commit", "--allow-empty", "-m", "first")
    left = git(tmp_path, "rev-parse", "HEAD")
    git(tmp_path, "checkout", "-b", "work")
    git(tmp_path, "commit", "--allow-empty", "-m", "second")
    assert base() == left
    git(tmp_path, "branch", "-D", "main")
    assert base() == "HEAD"
