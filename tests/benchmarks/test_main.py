"""The command `bench`: its benchmarks, its words about each, and its end, which leaves no process."""

from __future__ import annotations

import importlib
import inspect
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import __main__ as bench
from benchmarks.__main__ import MODULES, ON_THEIR_OWN, main
from benchmarks.harness.options import SKIPPED
from benchmarks.harness.servers import children_of
from tests.support.harness import PATIENCE_S, ROOT


@pytest.mark.parametrize("name", MODULES)
def test_help_starts_nothing_and_names_the_short_run(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    monkeypatch.setattr(subprocess.Popen, "__init__", lambda *_, **__: pytest.fail("it starts a process"))
    module = importlib.import_module(MODULES[name])
    with pytest.raises(SystemExit) as end:
        module.main()
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: ./manage.py bench {name} [-h] [--smoke]")
    assert inspect.getsource(module).endswith('if __name__ == "__main__":\n    main()\n')


def test_help_names_benchmarks_and_runs_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert f"Benchmarks: {', '.join(sorted(MODULES))}." in capsys.readouterr().out
    assert main(["nothing"]) == 2
    assert "no benchmark nothing; there are api, code_size" in capsys.readouterr().err


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[int, str]]:
    """Exit status and output of benchmarks, in place of running them: status 0 by default."""
    found: dict[str, tuple[int, str]] = {}

    def run(name: str, _: object, **kwargs: object) -> int:
        status, text = found.setdefault(name, (0, ""))
        output = kwargs.get("output") or sys.stdout
        output.write(text)  # type: ignore[attr-defined]
        return status

    monkeypatch.setattr(bench, "run", run)
    monkeypatch.setattr(bench, "time", SimpleNamespace(monotonic=lambda: 0.0))
    monkeypatch.setattr(bench, "seeded_sandbox", lambda: Path("nowhere"))
    monkeypatch.setenv("TEST_RUN_FOLDER", "")
    return found


def test_short_runs_report_each_and_fail(
    results: dict[str, tuple[int, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    results |= {
        "api": (0, "| a table |\nMISSED a target\n"),
        "edge": (1, "Traceback\nit broke\n"),
        "hung": (SKIPPED, "skipped: redis-server is not on this machine\n"),
        "storm": (124, ""),
    }
    assert main(["--smoke"]) == 1
    assert set(results) == set(MODULES)
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[:2] == ["api 0.0 s ok", "MISSED a target"]
    at = lines.index("edge 0.0 s FAILED: status 1")
    assert lines[at + 1 : at + 3] == ["Traceback", "it broke"]
    assert lines[lines.index("hung 0.0 s skipped") + 1] == "skipped: redis-server is not on this machine"
    assert "storm 0.0 s FAILED: it did not end" in lines


def test_skipped_benchmark_is_no_failure(results: dict[str, tuple[int, str]]) -> None:
    results["hung"] = (SKIPPED, "skipped: redis-server is not on this machine\n")
    assert main(["--smoke"]) == 0
    assert main(["hung"]) == 0
    results["api"] = (1, "MISSED a target\n")
    assert main(["api", "hung"]) == 1


def test_run_without_names_leaves_out_long_benchmarks(results: dict[str, tuple[int, str]]) -> None:
    assert main([]) == 0
    assert set(results) == set(MODULES) - ON_THEIR_OWN
    assert set(MODULES) > ON_THEIR_OWN


#: These have started a process of their own within seconds, and run for longer.
@pytest.mark.parametrize("name", ["pages", "storm_query"])
def test_ended_benchmark_leaves_no_process(name: str) -> None:
    run = subprocess.Popen(
        [sys.executable, "-m", "benchmarks", name], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    end = time.monotonic() + PATIENCE_S
    found: list[int] = []
    # The benchmark, and the processes that it has started.
    while len(found) < 2:
        assert run.poll() is None
        assert time.monotonic() < end
        time.sleep(0.05)
        found = children_of(run.pid)
        found += [child for pid in found for child in children_of(pid)]
    processes = [os.pidfd_open(pid) for pid in found]
    run.send_signal(signal.SIGTERM)
    run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 1
    for process in processes:
        assert select.select([process], [], [], 0)[0], "it goes on"
        os.close(process)
