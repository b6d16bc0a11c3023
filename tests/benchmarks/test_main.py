"""The command `bench`: which benchmarks there are, and that each can be started."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import benchmarks
from benchmarks.__main__ import main

NAMES = sorted(path.stem for path in Path(benchmarks.__path__[0]).glob("*.py") if not path.stem.startswith("_"))


def test_each_benchmark_can_be_imported() -> None:
    assert all(callable(importlib.import_module(f"benchmarks.{name}").main) for name in NAMES)


def test_help_names_the_benchmarks_and_runs_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in NAMES)
    assert "MISSED" not in said


def test_a_benchmark_that_there_is_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nothing"]) == 2
    assert "no benchmark nothing; there are api, capacity" in capsys.readouterr().err
