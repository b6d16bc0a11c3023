"""A copy of this checkout's code in another folder, to change and to run without touching this one."""

import contextlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from portal_dev.local_servers.server_group import Server, ServerGroup
from tests.support.harness import ROOT, clean_environment, run_program, with_own
from tests.support.ports import free_port_base
from tests.support.whole_runs import SHORT

WHOLE_FILES = (
    *(".env.example", ".gitignore", ".pre-commit-config.yaml"),
    *("CODEOWNERS", "Makefile", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "mkdocs.yml"),
)
#: The name of a platform that is new in a copy, whatever platforms the checkout has.
NEW_PLATFORM = "trialplatform"


def copy_of_checkout(folder: Path, *, whole: bool = False) -> Path:
    """Copy what the servers need into `folder`, which is made, with what Python has compiled of it.

    :param whole: what else is in the checkout as well: tests, documentation, deployment.
    """
    folder.mkdir()
    for part in ("manage.py", "pyproject.toml", "layers.toml", *(WHOLE_FILES if whole else ())):
        shutil.copy(ROOT / part, folder)
    for part in ("packages", "apps", *(("tests", "docs", "deploy", "requirements", "benchmarks") if whole else ())):
        # The name of a file that another process is compiling just now ends with a number.
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("*.pyc.*"))
    return folder


def copy_caches(folder: Path) -> None:
    """Give a copy what mypy and the import contracts know of the modules that it does not change."""
    for cache in (".mypy_cache", ".import_linter_cache"):
        if (ROOT / cache).exists():
            shutil.copytree(ROOT / cache, folder / cache)


def fresh_clone(folder: Path, *, source: Path = ROOT) -> Path:
    """What `git clone` would give if all that is in `source` were committed; without git, a copy of all that is there."""
    options = ("-z", "--cached", "--others", "--exclude-standard")
    listed = run_program("git", "ls-files", *options, status=None, cwd=source)
    if listed.returncode:
        return Path(
            shutil.copytree(source, folder, ignore=shutil.ignore_patterns(".git", ".venv", ".state", "__pycache__"))
        )
    for name in listed.stdout.split("\0"):
        if name and (source / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / name, folder / name)
    return folder


def git(folder: Path, *words: str) -> str:
    """Run git in a folder, as an author of tests; gives what it prints."""
    author = ("-c", "user.name=a test", "-c", "user.email=test@example.com")
    return run_program("git", *author, *words, cwd=folder).stdout.strip()


def commit_copy(folder: Path) -> None:
    """Make a git repository of a whole copy, with all that is in it in one commit."""
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "All"]):
        git(folder, *words)


def changes_of_copy(folder: Path) -> str:
    """What git says of the changes since the commit; empty where there are none."""
    return git(folder, "status", "--porcelain", "--untracked-files=all")


def in_copy(folder: Path, **variables: str | None) -> dict[str, str | None]:
    """Variables of a process in the copy, whose packages come before this checkout's; None takes one away."""
    return clean_environment(PYTHONPATH=f"{folder}:{folder / 'packages'}", **SHORT, **variables)


def run(
    folder: Path, *command: str, variables: dict[str, str | None] | None = None, timeout_s: float = 240
) -> subprocess.CompletedProcess[str]:
    environment = with_own(variables or in_copy(folder))
    words = (sys.executable, *command)
    return run_program(*words, status=None, cwd=folder, env=environment, input="", timeout=timeout_s)


def output_of(folder: Path, *command: str, timeout_s: float = 240, **variables: str | None) -> str:
    """What a command prints, which should end well."""
    done = run(folder, *command, variables={**in_copy(folder), **variables}, timeout_s=timeout_s)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr
    return done.stdout


@contextlib.contextmanager
def servers_in_copy(copy: Path, *projects: str, backend: str | None = None) -> Iterator[dict[str, str]]:
    """Start the copy's sandbox with the data that it has, and these projects of the copy; gives each project's address.

    :param backend: address of a backend that takes the sandbox's place.
    """
    base = free_port_base()
    state = copy.with_name(f"{copy.name}-state")
    variables = in_copy(
        copy,
        DEBUG="on",
        PORT_BASE=str(base),
        APP_BACKEND_OFFERS="all",
        APP_STATE_DIR=str(state / "apps"),
        SANDBOX_STATE_DIR=str(copy / ".state" / "sandbox"),
    )
    servers = []
    if backend is None:
        command: tuple[str, ...] = ("-m", "sandbox_api", "serve", "--port", str(base + 100))
        servers.append(Server(name="sandbox_api", command=command, port=base + 100, environment=variables))
    else:
        variables |= {"APP_PUBLIC_API_BASE_URL": backend}
    lister = "from portal.config.projects import PROJECTS\nfor p in PROJECTS: print(p.app, p.port_offset)"
    listed = output_of(copy, "-c", lister)
    ports = {app: base + int(offset) for app, offset in map(str.split, listed.splitlines())}
    for app in projects:
        command = (str(copy / "manage.py"), "--app", app, "serve")
        servers.append(Server(name=app, command=command, port=ports[app], environment=variables))
    group = ServerGroup(log=copy.with_name(f"{copy.name}.log"))
    try:
        group.start(servers)
        group.wait_until_ready()
        yield {app: f"http://localhost:{ports[app]}" for app in projects}
    finally:
        group.stop()
