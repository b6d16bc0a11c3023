"""`make check` says what is wrong, and nothing else."""

import re
from pathlib import Path

import pytest

from tests.checks import CHECKS, Check, main
from tests.support.harness import ROOT


def python(program: str, well: str = "") -> Check:
    return Check(("python", "-c", program), well)


def test_what_passes_says_nothing_but_how_many_there_were(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([python("print('All checks passed!')", "All checks passed!"), python("")]) == 0
    assert re.fullmatch(r"2 of 2 checks passed, in \d+ s\n", capsys.readouterr().out)


def test_each_that_fails_is_shown_whole_and_named_again_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = python("import sys; print('line 3: wrong'); print('and this', file=sys.stderr); sys.exit(2)", "line.*")
    assert main([wrong, python("print(1)", "1")]) == 1
    said = capsys.readouterr().out
    assert "line 3: wrong\n" in said
    assert "and this\n" in said
    assert f"failed: {wrong}\n1 of 2 checks passed" in said


def test_a_warning_of_one_that_passes_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([python("print('All checks passed!'); print('but beware')", "All checks passed!")]) == 0
    assert "but beware" in capsys.readouterr().out


def test_a_check_that_is_not_there_fails() -> None:
    with pytest.raises(FileNotFoundError):
        main([Check(("no-such-check",))])


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("lint-imports", "╔══╗\nThe import contracts KEPT\n\nContracts: 1 kept, 0 broken."),
        ("basedpyright", "0 errors, 0 warnings, 0 notes"),
        ("mypy", "Success: no issues found in 477 source files"),
        ("ruff", "All checks passed!"),
        ("python", "System check identified no issues (0 silenced)."),
    ],
)
def test_what_the_tools_say_when_all_is_well_is_known(command: str, said: str) -> None:
    assert any(re.fullmatch(check.well, said, re.DOTALL) for check in CHECKS if check.command[0] == command)


def test_each_app_is_checked() -> None:
    named = {check.command[3] for check in CHECKS if "--app" in check.command}
    assert named == {path.parent.name for path in Path(ROOT, "apps").glob("*/settings.py")}
