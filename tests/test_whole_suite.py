"""What `make test` says before and after the suite, and which tests `make test-APP` runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from portal.config.projects import PROJECT_BY_APP
from tests.support.checkout_copy import copy_of_checkout
from tests.support.harness import ROOT
from tests.support.linked_environment import bare_shell, link_environment
from tests.whole_suite import PARTS, PROGRAMS, announcement, main, missing_programs


def test_it_says_how_long_the_last_run_took(tmp_path: Path) -> None:
    last_run = tmp_path / "seconds"
    assert announcement(last_run) == "The whole suite takes about 34 minutes on two processors."
    last_run.write_text("843\n")
    assert announcement(last_run) == "The whole suite: the last run here took 14 min 3 s."


def test_it_names_the_programs_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    here, other, missing = Path(sys.executable).name, "no-such-other-name", "no-such-program"
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    assert missing_programs([(other, here)]) == "Every program that a test needs is on this machine."
    assert missing_programs([(here,), (missing, other)]) == (
        f"Not on this machine: {missing}. The tests that need them are skipped."
    )
    monkeypatch.setenv("CI", "true")
    assert missing_programs([(missing,)]).endswith("The tests that need them fail, because CI is set.")


def test_every_program_that_a_test_needs_is_known() -> None:
    calls = [
        tuple(re.findall(r'"([^"]+)"', call))
        for path in (ROOT / "tests").rglob("*.py")
        for call in re.findall(r'require_tool\(("[^)]*)\)', path.read_text())
    ]
    assert set(calls) == set(PROGRAMS)


def test_it_keeps_the_time_of_a_run_that_passed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    last_run = tmp_path / "cache" / "seconds"
    passes, fails = tmp_path / "test_passes.py", tmp_path / "test_fails.py"
    passes.write_text("def test_it(): pass\n")
    fails.write_text("def test_it(): assert False\n")
    assert main(parts=[alone(fails), alone(passes)], last_run=last_run) == 1
    assert not last_run.exists()
    assert main(parts=[alone(passes), alone(passes)], last_run=last_run) == 0
    assert last_run.read_text().strip().isdecimal()
    said = capfd.readouterr().out.splitlines()
    assert said[0] == "The whole suite takes about 34 minutes on two processors."
    assert re.fullmatch(r"The whole suite took \d+ s\.", said[-2])


def alone(path: Path) -> tuple[str, ...]:
    return ("-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), str(path))


def test_a_run_ends_with_a_line_for_each_reason_to_skip(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "test_skips.py").write_text(
        "import pytest\n"
        "@pytest.mark.parametrize('number', range(3))\n"
        "def test_it(number): pytest.skip('needs redis-server on this machine')\n"
        "@pytest.mark.skip(reason='needs nginx on this machine')\n"
        "def test_other(): pass\n"
    )
    assert (
        main(parts=[("-p", "tests.support.skipped_tests", "-n", "2", *alone(tmp_path))], last_run=tmp_path / "s") == 0
    )
    said = capfd.readouterr().out
    assert "3 tests: needs redis-server on this machine\n1 test: needs nginx on this machine\n" in said


def test_its_parts_are_all_tests() -> None:
    outside = re.search(r'"--ignore=(tests/\w+)"', (ROOT / "pyproject.toml").read_text())[1]
    assert [part[-1] for part in PARTS] == [outside, "--no-loadscope-reorder"], "the second part names no folder"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this checkout with an environment."""
    copy = copy_of_checkout(tmp_path_factory.mktemp("suite") / "copy", whole=True)
    link_environment(copy)
    return copy


def make(checkout: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", *words], cwd=checkout, env=bare_shell(), capture_output=True, text=True, check=False, timeout=240
    )


def test_make_runs_the_tests_of_one_app(checkout: Path) -> None:
    done = make(checkout, "test-finance")
    assert done.returncode == 0, done.stdout
    assert re.search(r"^=+ \d+ passed", done.stdout, re.MULTILINE)
    (checkout / "tests/apps/finance/test_new.py").write_text("def test_it() -> None:\n    assert False\n")
    (checkout / "tests/apps/energy/test_new.py").write_text("def test_it() -> None:\n    assert False\n")
    done = make(checkout, "test-finance")
    assert done.returncode != 0
    assert re.findall(r"^FAILED (\S+)", done.stdout, re.MULTILINE) == ["tests/apps/finance/test_new.py::test_it"]


def test_a_folder_that_is_not_there_is_told_with_those_that_are(checkout: Path) -> None:
    done = make(checkout, "test-finanse")
    assert done.returncode != 0
    folders = " ".join(f"{app}/" for app in sorted(PROJECT_BY_APP))
    assert f"tests/apps/finanse is not there: {folders}\n" in done.stdout
