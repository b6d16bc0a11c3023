"""What `python -m tests.mutants` says of a small checkout, and that it leaves nothing behind."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants.__main__ import main
from tests.mutants.mutant import read_mutants
from tests.mutants.runner import Verdict, try_mutants
from tests.support.harness import ROOT

RULE = "def is_open(port: int) -> bool:\n    return port < 10\n"
TESTS = {
    "test_good.py": "from rule import is_open\ndef test_it(): assert is_open(9) and not is_open(10)\n",
    "test_weak.py": "from rule import is_open\ndef test_it(): assert is_open(9)\n",
    "test_red.py": "def test_it(): assert False\n",
    # The second process has a session of its own, as servers that tests start may have.
    "test_server.py": (
        "import os, pathlib, subprocess, time\nfrom rule import is_open\n"
        "def test_it():\n"
        "    started = subprocess.Popen(['sleep', '1000'], start_new_session=True)\n"
        "    print(started.pid, file=open(os.environ['PIDS'], 'a'))\n"
        "    while not is_open(9): time.sleep(1)\n"
        "    started.kill(); started.wait()\n"
    ),
}
ENTRY = (
    "[[mutant]]\nfile = 'packages/rule.py'\nrule = '{rule}'\nold = '{old}'\nnew = '{new}'\ntests = ['tests/{tests}']\n"
)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of one module and its tests, which need no plugin of pytest."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    root = tmp_path / "checkout"
    for folder in ("packages", "tests"):
        (root / folder).mkdir(parents=True)
    (root / "pyproject.toml").write_text("[tool.pytest.ini_options]\npythonpath = ['packages']\n")
    (root / "packages/rule.py").write_text(RULE)
    for name, text in TESTS.items():
        (root / "tests" / name).write_text(text)
    return root


def lists(folder: Path, *entries: tuple[str, str, str, str]) -> Path:
    """A folder with one list, `ports`, of mutants: rule, old, new, file of tests."""
    folder.mkdir()
    names = ("rule", "old", "new", "tests")
    text = "".join(ENTRY.format(**dict(zip(names, entry, strict=True))) for entry in entries)
    (folder / "ports.toml").write_text(text)
    return folder


def test_each_mutant_is_killed_survives_or_is_wrong(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = lists(
        tmp_path / "lists",
        ("a", "port < 10", "port <= 10", "test_good.py"),
        ("b", "port < 10", "port <= 10", "test_weak.py"),
        ("c", "port > 10", "port <= 10", "test_good.py"),
        ("d", "port", "door", "test_good.py"),
        ("e", "port < 10", "port <", "test_good.py"),
        ("f", "port < 10", "port <= 10", "test_red.py"),
    )
    assert main(["ports", "-j", "2"], source=checkout, folder=folder) == 1
    said = capsys.readouterr().out.splitlines()
    assert sorted(said[:-1], key=lambda line: line.split("rule.py: ")[1]) == [
        "killed   ports 1, packages/rule.py: a [tests/test_good.py::test_it]",
        "SURVIVED ports 2, packages/rule.py: b",
        "WRONG    ports 3, packages/rule.py: c [`old` stands there 0 times]",
        "WRONG    ports 4, packages/rule.py: d [`old` stands there 2 times]",
        "WRONG    ports 5, packages/rule.py: e [Python can't read the change: invalid syntax (<unknown>, line 2)]",
        "WRONG    ports 6, packages/rule.py: f [without the change: tests/test_red.py::test_it]",
    ]
    assert said[-1] == "6 mutants: 1 killed, 1 SURVIVED, 4 WRONG"
    assert (checkout / "packages/rule.py").read_text() == RULE
    assert main(["--only", "1"], source=checkout, folder=folder) == 0
    (tmp_path / "other/tests").mkdir(parents=True)
    (tmp_path / "other/tests/test_good.py").write_text(TESTS["test_weak.py"])
    judged_by_others = ["--only", "1", "--suite", str(tmp_path / "other")]
    assert main(judged_by_others, source=checkout, folder=folder) == 1


def test_tests_without_an_end_kill_the_mutant_and_leave_no_process(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids = tmp_path / "pids"
    monkeypatch.setenv("PIDS", str(pids))
    mutants = read_mutants(folder=lists(tmp_path / "lists", ("a", "port < 10", "port < 9", "test_server.py")))
    [outcome] = try_mutants(mutants, tell=lambda _: None, source=checkout, time_limit_s=20)
    assert (outcome.verdict, outcome.why) == (Verdict.KILLED, "no end after 20 s")
    started = [int(pid) for pid in pids.read_text().split()]
    assert len(started) == 2, "one without the change, one with it"
    assert not [pid for pid in started if Path(f"/proc/{pid}").exists()]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_ended_leaves_no_process(checkout: Path, tmp_path: Path, number: signal.Signals) -> None:
    pids = tmp_path / "pids"
    os.mkfifo(pids)
    (checkout / "packages/rule.py").write_text(RULE.replace("10", "9"))
    folder = lists(tmp_path / "lists", ("a", "port < 9", "port < 8", "test_server.py"))
    code = (
        "import pathlib, signal, sys\nfrom tests.mutants.__main__ import main\n"
        # As in a terminal: a shell that runs the tests in the background has SIGINT ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"sys.exit(main([], source=pathlib.Path({str(checkout)!r}), folder=pathlib.Path({str(folder)!r})))\n"
    )
    command = [sys.executable, "-c", code]
    run = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "PIDS": str(pids), "TMPDIR": str(tmp_path)}, stderr=subprocess.DEVNULL
    )
    # Reading the pipe waits for the test that has started the process.
    process = os.pidfd_open(int(pids.read_text()))
    run.send_signal(number)
    assert run.wait(30)
    assert select.select([process], [], [], 30)[0], "it goes on"
    os.close(process)
