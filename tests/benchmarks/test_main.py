"""The command `bench`: which benchmarks there are, what it says of each, and that it leaves no process."""

from __future__ import annotations

import importlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import __main__ as bench
from benchmarks.__main__ import NAMES, ON_THEIR_OWN, main
from benchmarks._options import SKIPPED
from tests.support.harness import PATIENCE_S, ROOT


@pytest.mark.parametrize("name", NAMES)
def test_help_starts_nothing_and_names_the_short_run(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    monkeypatch.setattr(subprocess.Popen, "__init__", lambda *_, **__: pytest.fail("it starts a process"))
    with pytest.raises(SystemExit) as end:
        importlib.import_module(f"benchmarks.{name}").main()
    assert end.value.code == 0
    said = capsys.readouterr().out
    assert said.startswith(f"usage: ./manage.py bench {name} [-h] [--smoke]")


@pytest.mark.parametrize("name", NAMES)
def test_each_can_be_run_as_a_program(name: str) -> None:
    assert (ROOT / "benchmarks" / f"{name}.py").read_text().endswith('if __name__ == "__main__":\n    main()\n')


def test_help_names_the_benchmarks_and_runs_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in NAMES)
    assert "MISSED" not in said


def test_a_benchmark_that_there_is_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nothing"]) == 2
    assert "no benchmark nothing; there are api, capacity" in capsys.readouterr().err


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[int, str]]:
    """What benchmarks end with and print, in place of running them: status 0 where nothing else is said."""
    found: dict[str, tuple[int, str]] = {}

    def run(name: str, _: object, **kwargs: object) -> int:
        status, text = found.setdefault(name, (0, ""))
        output = kwargs.get("output") or sys.stdout
        output.write(text)  # type: ignore[attr-defined]
        return status

    monkeypatch.setattr(bench, "run", run)
    monkeypatch.setattr(bench, "time", SimpleNamespace(monotonic=lambda: 0.0))
    monkeypatch.setattr(bench, "seeded_sandbox", lambda: Path("nowhere"))
    monkeypatch.setenv("SEEDED_SANDBOX", "")
    return found


def test_short_runs_say_of_each_what_came_of_it_and_end_with_1_if_one_broke(
    results: dict[str, tuple[int, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    results |= {
        "api": (0, "| a table |\nMISSED a target\n"),
        "edge": (1, "Traceback\nit broke\n"),
        "paint": (SKIPPED, "skipped: chromium is not on this machine\n"),
        "storm": (124, ""),
    }
    assert main(["--smoke"]) == 1
    assert set(results) == set(NAMES)
    said = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in said.splitlines()]
    assert lines[:2] == ["api 0.0 s ok", "MISSED a target"]
    at = lines.index("edge 0.0 s FAILED: status 1")
    assert lines[at + 1 : at + 3] == ["Traceback", "it broke"]
    assert lines[lines.index("paint 0.0 s skipped") + 1] == "skipped: chromium is not on this machine"
    assert "storm 0.0 s FAILED: it did not end" in lines


def test_what_is_skipped_or_missed_in_a_short_run_is_no_failure(results: dict[str, tuple[int, str]]) -> None:
    results["paint"] = (SKIPPED, "skipped: chromium is not on this machine\n")
    assert main(["--smoke"]) == 0
    results["api"] = (1, "MISSED a target\n")
    assert main(["api", "paint"]) == 1
    assert main(["paint"]) == 0


def test_without_names_those_that_take_minutes_are_left_out(results: dict[str, tuple[int, str]]) -> None:
    assert main([]) == 0
    assert set(results) == set(NAMES) - ON_THEIR_OWN
    assert set(NAMES) > ON_THEIR_OWN


def descendants(pid: int) -> Iterator[int]:
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            yield int(child)
            yield from descendants(int(child))


#: These have started a process of their own within seconds, and run for longer.
@pytest.mark.parametrize("name", ["api", "pages", "profile", "storm_query"])
def test_a_benchmark_that_is_ended_leaves_no_process(name: str) -> None:
    run = subprocess.Popen(
        [sys.executable, "-m", "benchmarks", name], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    end = time.monotonic() + PATIENCE_S
    # The benchmark, and what it has started.
    while len(found := list(descendants(run.pid))) < 2:
        assert run.poll() is None
        assert time.monotonic() < end
        time.sleep(0.05)
    processes = [os.pidfd_open(pid) for pid in found]
    run.send_signal(signal.SIGTERM)
    run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 1
    for process in processes:
        assert select.select([process], [], [], 0)[0], "it goes on"
        os.close(process)
