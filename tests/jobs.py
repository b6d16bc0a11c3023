"""The jobs in which the tests are run: `make test`, and beside it the `…-check` of docs, deployment and others.

    python -m tests.jobs test            runs the tests of one job, or of several in one run
    python -m tests.jobs --changed       names the jobs beside `make test` that a change asks for, as `.ci/run` does

Each test file belongs to one job: what no other job names belongs to `test`. Some tests have a short form there, and
their whole one in `storm-check` (`tests.support.whole_runs`). Where both are asked for, they run whole alone.
"""

import argparse
import dataclasses
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.support import contained_run
from tests.support.private_folder import GIVEN_FOLDER, private_folder
from tests.support.processes import found_tool
from tests.support.whole_runs import VARIABLE

ROOT = Path(__file__).resolve().parents[1]
#: Its tests have settings of their own, so they get a process of their own.
SANDBOX: Final = "tests/sandbox_api"
#: Its tests run after all others.
BENCHMARKS: Final = "bench-check"
#: Tests wait as much as they compute, so four processes keep two processors busy. `tests.conftest` says which tests
#: stay in one process, and begins with them.
OPTIONS: Final = ("-n", "4", "--no-loadscope-reorder")
#: The exit status of pytest where a job has no test: those of the examples are not run without them.
NO_TESTS: Final = 5
#: No job takes that long; seconds.
TIME_LIMIT_S: Final = 3 * 60 * 60


@dataclasses.dataclass(frozen=True)
class Job:
    """Tests that are run together, and what they test.

    :ivar minutes: how long it takes, on two processors with nothing else to do.
    :ivar tests: its folders and files. They name no folder of another job.
    :ivar whole: tests of `make test` that have a short form there, which it runs whole.
    :ivar code: folders and files that it tests. A change of one of them asks for the job, as one of its tests does.
    """

    minutes: int
    tests: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    code: tuple[str, ...] = ()

    def is_asked_for_by(self, file: str) -> bool:
        """Whether a change of this file asks for the job."""
        return any(f"{file}/".startswith(f"{path}/") for path in (*self.tests, *self.whole, *self.code, *FOR_EVERY_JOB))


#: A change of these asks for all jobs.
FOR_EVERY_JOB: Final = (
    *(".ci", "Makefile", "pyproject.toml", "requirements", "manage.py"),
    *("tests/conftest.py", "tests/jobs.py", "tests/settings.py", "tests/support"),
)
#: By the target of the Makefile.
JOBS: Final = {
    "test": Job(minutes=6),
    "docs-check": Job(
        minutes=4,
        tests=("tests/docs", "tests/typing"),
        code=(
            *("docs", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CODEOWNERS", "SECURITY.md", "mkdocs.yml"),
            *(".env.example", "benchmarks", "packages/portal/__init__.py", "packages/sandbox_api/README.md"),
            *("packages/portal_dev/docs_site.py", "packages/portal_dev/reference"),
        ),
    ),
    "deploy-check": Job(
        minutes=4,
        tests=(
            *(
                "tests/deploy",
                "tests/functional/test_oidc_known_providers.py",
                "tests/functional/test_rolling_upgrade.py",
            ),
            *("tests/functional/test_static_files_of_two_releases.py", "tests/portal_server/test_supervisor.py"),
            *("tests/portal_server/test_heartbeat.py", "tests/portal_server/test_workers.py"),
            *("tests/portal_server/test_granian_worker.py", "tests/portal/store/test_redis_as_it_is_run.py"),
            "tests/portal_operate/test_extras.py",
        ),
        code=(
            *("deploy", "Dockerfile", ".dockerignore", ".github", "setup.py", "packages/setup.py"),
            *("packages/portal_server", "packages/portal/store", "packages/portal_oidc", "packages/portal_operate"),
            *("packages/pyproject.toml", "packages/portal/api/refresh"),
        ),
    ),
    "storm-check": Job(
        minutes=8,
        whole=(
            *(
                "tests/apps/test_every_page.py",
                "tests/browser/test_every_page.py",
                "tests/functional/test_every_backend.py",
                "tests/functional/test_half_down_backend.py",
            ),
            *("tests/portal_server/test_prepared_files.py", "tests/portal_server/test_static_files.py"),
            *("tests/functional/test_refresh_storm.py", "tests/portal/api/refresh/test_stored_formats.py"),
            *("tests/portal/edge/test_any_request.py", "tests/portal/edge/test_no_redirect_loops.py"),
            *("tests/portal/edge/test_rules.py", "tests/portal/query/test_interleavings.py"),
            *("tests/portal/query/test_lagging_reads.py", "tests/portal/query/test_model.py"),
            *("tests/portal/query/test_model_outages.py", "tests/portal/query/test_several_nodes.py"),
            *("tests/portal/query/test_stored_formats.py", "tests/portal/query/test_storm.py"),
        ),
        code=(
            *("packages/portal/api/refresh", "packages/portal/edge", "packages/portal/query", "packages/portal/store"),
            *("packages/portal_pages", "packages/portal/web/templates", "apps", "packages/sqlite_cache"),
        ),
    ),
    "dev-check": Job(
        minutes=7,
        tests=(
            *("tests/portal_dev", SANDBOX, "tests/mistakes", "tests/mutants"),
            *("tests/test_checks.py", "tests/test_fast.py", "tests/test_jobs.py", "tests/test_matrix.py"),
            "tests/test_supply_chain.py",
        ),
        code=(
            *("packages/portal_dev", "packages/sandbox_api", "packages/portal_operate"),
            *("tests/checks.py", "tests/fast.py", "tests/matrix.py", "tests/supply_chain.py"),
            *(".pre-commit-config.yaml", "docs/reference/mistakes.md", "layers.toml"),
        ),
    ),
    BENCHMARKS: Job(
        minutes=2,
        tests=("tests/benchmarks",),
        code=("packages", "apps", "benchmarks", "docs/reference/measured.md"),
    ),
}
#: Programs that some tests start, each with its other names, and Debian's package of each.
PROGRAMS: Final = {
    ("chromium-headless-shell", "chromium", "google-chrome"): "chromium-headless-shell",
    ("chromium", "chromium-browser", "google-chrome"): "chromium",
    ("firefox-esr", "firefox"): "firefox-esr",
    ("redis-server",): "redis-server",
    ("redis-sentinel",): "redis-sentinel",
    ("nginx",): "nginx-light",
    ("node",): "nodejs",
    ("npm",): "npm",
    ("git",): "git",
    ("openssl",): "openssl",
    ("jq",): "jq",
    ("setpriv",): "util-linux",
    ("unshare",): "util-linux",
    ("kubectl",): "kubernetes-client",
    ("systemd-analyze",): "systemd",
    ("promtool",): "prometheus",
}


def main(words: Sequence[str] | None = None) -> int:
    """Run the jobs that the words name; gives the exit status of the first run that fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.jobs", description=__doc__)
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=" ".join(JOBS), choices=[[], *JOBS])
    parser.add_argument("--changed", action="store_true", help="print which jobs a change since $CI_BASE asks for")
    options = parser.parse_args(words)
    if options.changed:
        asked, why = jobs_for(changed_files(os.environ.get("CI_BASE", "")))
        sys.stderr.write("".join(f"{line}\n" for line in why))
        say(*asked)
        return 0
    for name in options.jobs:
        say(f"make {name} takes about {JOBS[name].minutes} minutes on two processors.")
    say(missing_programs())
    os.environ[VARIABLE] = "on" if any(JOBS[name].whole for name in options.jobs) else "off"
    os.environ[GIVEN_FOLDER] = str(private_folder("portal-test-run-"))
    for arguments in runs_of(*options.jobs):
        if (status := run_pytest(*arguments)) not in {0, NO_TESTS}:
            return status
    return 0


def runs_of(*names: str) -> list[tuple[str, ...]]:
    """Return the arguments of each pytest that runs tests of these jobs."""
    if BENCHMARKS in names:
        # Their short runs fill both processors: beside the tests, some would take minutes.
        others = [name for name in names if name != BENCHMARKS]
        return [*(runs_of(*others) if others else ()), ("-n", "2", *OPTIONS[2:], *JOBS[BENCHMARKS].tests)]
    own = [path for name in names for path in JOBS[name].tests]
    if "test" in names:
        words = [
            f"--ignore={path}" for job in JOBS.values() for path in job.tests if path == SANDBOX or path not in own
        ]
    else:
        words = [path for path in (*own, *(path for name in names for path in JOBS[name].whole)) if path != SANDBOX]
    # To start a process costs as much as the sandbox's tests in it: two are the quickest.
    return [("-n", "2", SANDBOX)] * (SANDBOX in own) + [(*OPTIONS, *words)]


def run_pytest(*arguments: str) -> int:
    """Run tests; gives the exit status. Ended by Ctrl-C or SIGTERM, it leaves no process that a test started."""
    return contained_run.run([sys.executable, "-m", "pytest", *arguments], time_limit_s=TIME_LIMIT_S)


def changed_files(base: str) -> list[str] | None:
    """Files that differ from a commit, with those that are new; None if there is no such commit."""
    differ = ["git", "diff", "--name-only", "--no-renames", "-z", "--end-of-options", f"{base}^{{commit}}", "--"]
    new = ["git", "ls-files", "--others", "--exclude-standard", "-z"]
    runs = [subprocess.run(each, cwd=ROOT, capture_output=True, text=True, check=False) for each in (differ, new)]
    if not base or any(run.returncode for run in runs):
        return None
    return sorted({file for run in runs for file in run.stdout.split("\0") if file})


def jobs_for(changed: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """The jobs beside `test` that a change of these files asks for, and a line for each job that says why."""
    asked, why = [], ["make test: always"]
    for name, job in list(JOBS.items())[1:]:
        files = [file for file in changed or () if job.is_asked_for_by(file)]
        if changed is None:
            why.append(f"make {name}: CI_BASE names no commit to compare with")
        elif files:
            why.append(
                f"make {name}: {files[0]}" + (f" and {len(files) - 1} more changed" if files[1:] else " changed")
            )
        else:
            why.append(f"make {name} is left out: nothing that it tests has changed")
        asked += [name] * (changed is None or bool(files))
    return asked, why


def missing_programs(programs: Mapping[tuple[str, ...], str] = PROGRAMS) -> str:
    """Name the programs that are not here, the fate of their tests, and the command that installs them."""
    missing = {names[0]: package for names, package in programs.items() if found_tool(*names) is None}
    if not missing:
        return "Every program that a test needs is on this machine."
    fate = "fail, because CI is set" if os.environ.get("CI") else "are left out"
    install = f"apt-get install {' '.join(dict.fromkeys(missing.values()))}"
    return f"Not on this machine: {', '.join(missing)}. The tests that need them {fate}; to run them: {install}"


def say(*lines: str) -> None:
    """Print lines before what the next process prints."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
