"""Each test belongs to one job, a change runs the jobs that test it, and a run that is ended leaves no process."""

import os
import re
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from portal.config.projects import PROJECT_BY_APP
from tests import jobs
from tests.jobs import JOBS, PROGRAMS, changed_files, jobs_for, missing_programs, runs_of
from tests.support import whole_runs
from tests.support.checkout_copy import git
from tests.support.harness import ROOT, run_program
from tests.support.linked_environment import copy_with_environment, run_typed
from tests.support.private_folder import GIVEN_FOLDER

BESIDE = ["docs-check", "deploy-check", "storm-check", "dev-check", "bench-check"]


def is_below(file: Path, paths: Iterable[str]) -> bool:
    return any(file.is_relative_to(ROOT / path) for path in paths)


def runs(job: str, file: Path) -> int:
    """Return how many runs of a job have the tests of this file. A whole form beside a short one does not count."""
    count = 0
    for words in runs_of(job):
        ignored = [word.removeprefix("--ignore=") for word in words if word.startswith("--ignore=")]
        given = [word for word in words if word.startswith("tests/")] or ["tests"]
        count += is_below(file, given) and not is_below(file, (*ignored, *JOBS[job].whole))
    return count


def test_every_test_file_belongs_to_one_job() -> None:
    for file in [*(ROOT / "tests").rglob("test_*.py"), ROOT / "tests/new_folder/test_new.py"]:
        assert sum(runs(job, file) for job in JOBS) == 1, file


def test_storm_check_alone_runs_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    for variable in (whole_runs.VARIABLE, GIVEN_FOLDER):
        monkeypatch.setenv(variable, "")
    monkeypatch.setattr(jobs, "run_pytest", lambda *_: seen.append(os.environ[whole_runs.VARIABLE]) or 0)
    for names in (["docs-check"], ["test", "storm-check"], ["test"]):
        assert jobs.main(names) == 0
    assert seen == ["off", "on", "off"]
    assert Path(os.environ[GIVEN_FOLDER]).is_dir()


def test_what_has_a_short_form_runs_whole_somewhere() -> None:
    short = {
        str(file.relative_to(ROOT))
        for file in (ROOT / "tests").rglob("test_*.py")
        if re.search(r"^from tests\.support\.whole_runs import", file.read_text(), flags=re.MULTILINE)
    }
    assert short - {*JOBS["storm-check"].whole} == set()


def test_sandbox_runs_before_others_and_benchmarks_after() -> None:
    sandbox, others, benchmarks = runs_of("test", "storm-check", "dev-check", "bench-check")
    assert [benchmarks] == runs_of("bench-check")
    assert sandbox[-1] == jobs.SANDBOX
    ignored = {word.removeprefix("--ignore=") for word in others if word.startswith("--ignore=")}
    assert ignored == {
        jobs.SANDBOX,
        *(path for name in ("docs-check", "deploy-check", "bench-check") for path in JOBS[name].tests),
    }


def test_what_a_job_names_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for name, job in JOBS.items():
        assert re.search(rf"^{name}: ", makefile, flags=re.MULTILINE)
        assert [
            path for path in (*job.tests, *job.whole, *job.code, *jobs.FOR_EVERY_JOB) if not (ROOT / path).exists()
        ] == []


@pytest.mark.parametrize(
    ("file", "asked"),
    [
        ("packages/portal/query/client.py", ["storm-check", "bench-check"]),
        ("docs/how-to/deploy.md", ["docs-check"]),
        ("packages/portal/store/size.py", ["deploy-check", "storm-check", "bench-check"]),
        ("deployed.md", []),
        ("packages/portal_dev/docs_site.py", ["docs-check", "dev-check", "bench-check"]),
        ("docs/reference/measured.md", ["docs-check", "bench-check"]),
        ("tests/sandbox_api/test_ids.py", ["dev-check"]),
        ("tests/support/harness.py", BESIDE),
    ],
)
def test_a_change_asks_for_the_jobs_that_test_it(file: str, asked: list[str]) -> None:
    assert jobs_for([file])[0] == asked


def test_a_run_says_which_jobs_it_runs_and_why() -> None:
    assert jobs_for(["docs/a.md", "docs/b.md", "deploy/nginx/portal.conf"]) == (
        ["docs-check", "deploy-check"],
        [
            "make test: always",
            "make docs-check: docs/a.md and 1 more changed",
            "make deploy-check: deploy/nginx/portal.conf changed",
            "make storm-check is left out: nothing that it tests has changed",
            "make dev-check is left out: nothing that it tests has changed",
            "make bench-check is left out: nothing that it tests has changed",
        ],
    )
    asked, why = jobs_for(None)
    assert asked == BESIDE
    assert why[-1] == "make bench-check: CI_BASE names no commit to compare with"


def test_changed_is_what_was_committed_edited_moved_or_made_since_a_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("kept", "committed", "edited", "moved"):
        (tmp_path / name).write_text(name)
    git(tmp_path, "init")
    (tmp_path / ".gitignore").write_text("ignored\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "first")
    base = git(tmp_path, "rev-parse", "HEAD")
    (tmp_path / "committed").write_text("other")
    git(tmp_path, "commit", "-am", "second")
    git(tmp_path, "mv", "moved", "moved to ä")
    for name in ("edited", "made", "ignored"):
        (tmp_path / name).write_text("other")
    monkeypatch.setattr(jobs, "ROOT", tmp_path)
    assert changed_files(base) == ["committed", "edited", "made", "moved", "moved to ä"]
    assert changed_files("HEAD") == ["edited", "made", "moved", "moved to ä"]
    assert changed_files("") is None
    assert changed_files("0" * 40) is None
    assert changed_files("--output=x") is None


@pytest.fixture
def ci(tmp_path: Path) -> Path:
    """`.ci/run` in a folder of its own, with a `make` that notes what it is asked for, and every program it looks for."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", tmp_path / ".ci/run")
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in set(re.findall(r"command -v (\S+)", (ROOT / ".ci/run").read_text())):
        (programs / name).symlink_to("/bin/true")
    (programs / "make").unlink()
    (programs / "make").write_text('#!/bin/sh\necho "$*"\n[ "$*" != "$FAILS" ]\n')
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/python").write_text(f'#!/bin/sh\ncd {ROOT} && exec {sys.executable} "$@"\n')
    for file in (programs / "make", tmp_path / ".venv/bin/python"):
        file.chmod(0o755)
    return tmp_path


def ran(ci: Path, **variables: str) -> tuple[int, list[str]]:
    environment = {"FAILS": "", **variables, "PATH": f"{ci / 'programs'}:/usr/bin:/bin"}
    run = run_program(ci / ".ci/run", status=None, env=environment)
    return run.returncode, run.stdout.splitlines()


def test_ci_runs_every_job_where_it_does_not_know_what_changed_up_to_one_that_fails(ci: Path) -> None:
    jobs = ["check", f"test ALSO={' '.join(BESIDE)} "]
    assert ran(ci) == ran(ci, CI_BASE="nonsense") == (0, jobs)
    for number, job in enumerate(jobs):
        status, asked = ran(ci, FAILS=job)
        assert status != 0
        assert asked == jobs[: number + 1], "the first that fails ends the run"


#: The process has a session of its own, as servers that tests start may have.
SERVER = """
import os, subprocess, time
def test_good(): pass
def test_it():
    started = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    print(started.pid, file=open(os.environ["PIDS"], "a"))
    time.sleep(1000)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_ended_leaves_no_process(tmp_path: Path, number: signal.Signals) -> None:
    pids = tmp_path / "pids"
    os.mkfifo(pids)
    (tmp_path / "test_server.py").write_text(SERVER)
    code = (
        # As in a terminal: a shell that runs the tests in the background has SIGINT ignored.
        "import signal, sys\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"from tests.jobs import run_pytest\nsys.exit(run_pytest('-n', '2', *{alone(tmp_path)}))\n"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, env=without_plugins(PIDS=str(pids)), stdout=subprocess.PIPE, text=True
    )
    # Reading the pipe waits for the test that has started the process.
    process = os.pidfd_open(int(pids.read_text()))
    run.send_signal(number)
    said, _ = run.communicate(timeout=120)
    assert run.returncode != 0
    assert select.select([process], [], [], 30)[0], "it goes on"
    os.close(process)
    assert ("1 passed" in said) is (number == signal.SIGINT), "after Ctrl-C pytest says what it knows"


def alone(path: Path) -> tuple[str, ...]:
    """Arguments of a run without this checkout's configuration, whose plugins take most of a short run."""
    return ("-p", "no:cacheprovider", "-p", "xdist", "-c", os.devnull, "--rootdir", str(path), str(path))


def without_plugins(**variables: str) -> dict[str, str]:
    return {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **variables}


def test_a_run_ends_with_a_line_for_each_reason_to_skip_and_the_count(tmp_path: Path) -> None:
    (tmp_path / "test_skips.py").write_text(
        "import pytest\n"
        "@pytest.mark.parametrize('number', range(3))\n"
        "def test_it(number): pytest.skip('needs redis-server on this machine')\n"
        "@pytest.mark.skip(reason='needs nginx on this machine')\n"
        "def test_other(): pass\n"
    )
    words = ["-p", "tests.support.skipped_tests", "-n", "2", *alone(tmp_path)]
    code = f"import sys; from tests.jobs import run_pytest; sys.exit(run_pytest(*{words}))"
    run = run_program(sys.executable, "-c", code, env=without_plugins())
    *_, first, second, last = run.stdout.splitlines()
    assert [first, second] == ["3 tests: needs redis-server on this machine", "1 test: needs nginx on this machine"]
    assert re.fullmatch(r"=+ 4 skipped in .*", last)


def test_it_names_the_programs_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    here = {(Path(sys.executable).name,): "python3"}
    missing = {("no-such-program", "no-such-other-name"): "a-package"}
    assert missing_programs(here) == "Every program that a test needs is on this machine."
    told = "Not on this machine: no-such-program. The tests that need them "
    install = "to run them: apt-get install a-package"
    assert missing_programs(here | missing) == f"{told}are left out; {install}"
    monkeypatch.setenv("CI", "true")
    assert missing_programs(missing) == f"{told}fail, because CI is set; {install}"


def test_every_program_that_a_test_needs_is_known() -> None:
    calls = [
        tuple(re.findall(r'"([^"]+)"', call))
        for path in (ROOT / "tests").rglob("*.py")
        for call in re.findall(r'require_tool\(("[^)]*)\)', path.read_text())
    ]
    assert set(calls) == set(PROGRAMS)


def test_make_runs_the_tests_of_one_app(tmp_path: Path) -> None:
    checkout = copy_with_environment(tmp_path / "copy", whole=True)
    for folder in ("apps/finance", "apps/energy", "portal/services"):
        for file in (checkout / "tests" / folder).glob("test_*.py"):
            file.unlink()
        (checkout / f"tests/{folder}/test_new.py").write_text("def test_it() -> None:\n    assert False\n")

    def make(target: str) -> str:
        made = run_typed(f"make {target}", folder=checkout, timeout_s=240)
        assert made.returncode != 0
        return made.stdout

    said = make("test-finance")
    failed = [f"tests/{folder}/test_new.py::test_it" for folder in ("apps/finance", "portal/services")]
    assert re.findall(r"^FAILED (\S+)", said, re.MULTILINE) == failed
    assert re.search(r"^=+ 2 failed, \d+ passed", said, re.MULTILINE)
    folders = " ".join(f"{app}/" for app in sorted(PROJECT_BY_APP))
    assert f"tests/apps/finanse is not there: {folders}\n" in make("test-finanse")
