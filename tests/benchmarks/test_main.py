"""The command `bench`: its benchmarks, its words about each, and its end, which leaves no process."""

import importlib
import inspect
import os
import select
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from benchmarks import __main__ as bench
from benchmarks.__main__ import MODULES, ON_THEIR_OWN, main
from benchmarks.harness.options import SKIPPED
from benchmarks.harness.servers import children_of
from tests.support.harness import ROOT, run_program
from tests.support.processes import PATIENCE_S, until

#: The longest that a short run may take, beside all other tests; seconds.
SHORT_RUN_LIMIT_S = 600


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
def results(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Exit status of benchmarks, in place of running them: 0 by default."""
    found: dict[str, int] = {}
    monkeypatch.setattr(bench, "run", lambda name, _: found.setdefault(name, 0))
    monkeypatch.setattr(bench, "time", SimpleNamespace(monotonic=lambda: 0.0))
    return found


def test_several_benchmarks_end_with_their_results(results: dict[str, int], capsys: pytest.CaptureFixture[str]) -> None:
    results |= {"api": 0, "edge": 1, "hung": SKIPPED, "storm": 124}
    assert main(["api", "edge", "hung", "storm"]) == 1
    assert [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()] == [
        "",
        "api 0.0 s ok",
        "edge 0.0 s FAILED: status 1",
        "hung 0.0 s skipped",
        "storm 0.0 s FAILED: it did not end",
    ]
    assert main(["api", "hung"]) == 0


def test_run_without_names_leaves_out_long_benchmarks(results: dict[str, int]) -> None:
    assert main([]) == 0
    assert set(results) == set(MODULES) - ON_THEIR_OWN
    assert set(MODULES) > ON_THEIR_OWN


# The pages of Next.js are built in it.
@pytest.mark.timeout(SHORT_RUN_LIMIT_S + 60)
@pytest.mark.parametrize("name", MODULES)
def test_short_run_ends(name: str) -> None:
    done = run_program(sys.executable, "-m", "benchmarks", name, "--smoke", status=None, timeout=SHORT_RUN_LIMIT_S)
    if done.returncode == SKIPPED and not os.environ.get("CI"):
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr


#: These have started a process of their own within seconds, and run for longer.
@pytest.mark.parametrize("name", ["pages", "storm_query"])
def test_ended_benchmark_leaves_no_process(name: str) -> None:
    run = subprocess.Popen(
        [sys.executable, "-m", "benchmarks", name], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )

    def found() -> list[int]:
        """The benchmark, and the processes that it has started."""
        assert run.poll() is None
        pids = children_of(run.pid)
        pids += [child for pid in pids for child in children_of(pid)]
        return pids if len(pids) > 1 else []

    processes = [os.pidfd_open(pid) for pid in until(found, what="processes of a benchmark")]
    run.send_signal(signal.SIGTERM)
    run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 1
    for process in processes:
        assert select.select([process], [], [], 0)[0], "it goes on"
        os.close(process)
