"""`make matrix`: which Pythons it finds, and that a combination runs in a copy whose environment is its own."""

import os
import stat
import sys
from pathlib import Path

import pytest

from tests import matrix


def fake_python(folder: Path, name: str, told: str, *, status: int = 0) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\necho '{told}'\nexit {status}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def test_the_newest_of_each_minor_version_is_found_and_what_does_not_run_or_is_too_old_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, home = tmp_path / "bin", tmp_path / "home"
    fake_python(path, "python3.11", "3 11 2 /usr/bin/python3.11")
    fake_python(path, "python3.14", "switched off", status=127)
    fake_python(path, "python3.10", "3 10 9 /old")
    fake_python(path, "python3.11-config", "3 11 99 /config")
    fake_python(home / ".pyenv" / "versions" / "3.11.10" / "bin", "python3.11", "3 11 10 /newer")
    fake_python(home / ".pyenv" / "versions" / "3.13.0" / "bin", "python3.13", "3 13 0 /thirteen")
    monkeypatch.setenv("PATH", f"{path}{os.pathsep}/bin")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(
        matrix, "candidates", lambda found=matrix.candidates: (p for p in found() if tmp_path in p.parents)
    )
    assert matrix.pythons() == {(3, 11): "/newer", (3, 13): "/thirteen"}


def test_each_django_is_tried_with_the_pythons_that_it_runs_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(matrix, "pythons", lambda: {(3, 12): "/twelve", (3, 11): "/eleven"})
    monkeypatch.setattr(
        matrix,
        "tried",
        lambda python, django, *, smoke: matrix.Result(
            python, django, f"smoke {smoke}", 1, failed=(python, django) == ("/twelve", "6")
        ),
    )
    assert matrix.main(["--smoke", "--only", "/5"]) == 0
    assert matrix.main([]) == 1
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("/")]
    tried = [(row[0], row[1]) for row in rows]
    assert tried == [
        *[("/eleven", "5.2"), ("/twelve", "5.2")],
        *[("/eleven", "5.2"), ("/twelve", "5.2"), ("/twelve", "6")],
    ]
    with pytest.raises(SystemExit, match=r"no combination is 3\.11/6; there are 3\.12, 3\.11"):
        matrix.main(["--only", "3.11/6"])


def test_an_environment_that_can_not_be_made_is_a_failure_with_its_last_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(matrix, "fresh_clone", lambda folder: folder)
    monkeypatch.setattr(matrix, "commit_copy", lambda _: None)
    monkeypatch.setattr(
        matrix, "run", lambda _command, _folder: type("", (), {"returncode": 2, "stderr": "a\nno pip\n"})
    )
    found = matrix.tried("/twelve", "6", smoke=True)
    assert (found.failed, found.told) == (True, "not run: no pip")


def test_no_step_sees_the_environment_that_runs_the_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Path(sys.prefix) / "bin"
    monkeypatch.setenv("PATH", f"{own}{os.pathsep}/usr/bin")
    monkeypatch.setenv("PYTHONPATH", "packages")
    assert matrix.variables()["PATH"] == "/usr/bin"
    assert "PYTHONPATH" not in matrix.variables()
