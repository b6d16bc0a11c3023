"""`make matrix`: the tests of the product with each Python of this machine, and with both releases of Django.

    python -m tests.matrix                          the tests of `make test`, for hours
    python -m tests.matrix --smoke                  without the folders whose tests need servers and browsers
    python -m tests.matrix --smoke --only 3.13/6    one combination; `3.13/` is one Python, `/6` one Django

Each combination gets a copy of this checkout in a folder of its own, with an environment that `make install` makes there:
all pins of the lock, but Django's where the newer one is tried.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.jobs import OPTIONS, runs_of, say
from tests.support.checkout_copy import commit_copy, fresh_clone

#: Of Django: the pinned release with long-term support, and the newest one that the library takes; by their first word.
DJANGOS: Final = {"5.2": "", "6": "Django>=6,<7"}
#: The oldest Python of each, as its metadata says.
OLDEST: Final = {"5.2": (3, 11), "6": (3, 12)}
#: Almost none of these tests starts a process.
SMOKE: Final = ("tests/portal", "tests/portal_pages", "tests/portal_server", "tests/contract", "tests/sqlite_cache")
#: Where a Python may be: the names on the path, and the places of pyenv.
_ON_PATH: Final = re.compile(r"python3\.(\d+)")
_ASK: Final = "import sys; print(*sys.version_info[:3], sys.executable)"


@dataclass(frozen=True)
class Result:
    """What became of one combination."""

    python: str
    django: str
    told: str
    minutes: float
    failed: bool


def main(words: Sequence[str] | None = None) -> int:
    """Run the combinations in turn, and print a table; 1 if one of them failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.matrix", description=__doc__)
    parser.add_argument("--smoke", action="store_true", help=f"the tests of {' '.join(SMOKE)} alone")
    parser.add_argument("--only", default="/", metavar="PYTHON/DJANGO", help="those that begin so: 3.13/6")
    options = parser.parse_args(words)
    wanted_python, _, wanted_django = options.only.partition("/")
    results = [
        tried(python, django, smoke=options.smoke)
        for version, python in sorted(pythons().items())
        for django in DJANGOS
        if f"3.{version[1]}".startswith(wanted_python) and django.startswith(wanted_django)
        if version >= OLDEST[django]
    ]
    if not results:
        sys.exit(f"no combination is {options.only}; there are {', '.join(f'3.{minor}' for _, minor in pythons())}")
    say("", f"{'Python':<10}{'Django':<10}{'minutes':>8}  tests")
    say(*(f"{each.python:<10}{each.django:<10}{each.minutes:>8.1f}  {each.told}" for each in results))
    return int(any(each.failed for each in results))


def pythons() -> dict[tuple[int, int], str]:
    """Each Python from 3.11 on that this machine has: the newest of each minor version."""
    found: dict[tuple[int, int], tuple[int, str]] = {}
    for candidate in candidates():
        done = subprocess.run([candidate, "-c", _ASK], capture_output=True, text=True, check=False)
        if done.returncode:  # a shim of pyenv for a version that is switched off
            continue
        major, minor, patch, path = done.stdout.split(maxsplit=3)
        version = int(major), int(minor)
        if version >= OLDEST["5.2"]:
            found[version] = max(found.get(version, (-1, "")), (int(patch), path.strip()))
    return {version: path for version, (_, path) in found.items()}


def candidates() -> Iterator[Path]:
    """Programs that may be a Python."""
    folders = [Path(folder) for folder in os.get_exec_path()]
    folders += Path("~/.pyenv/versions").expanduser().glob("3.*/bin")
    for folder in filter(Path.is_dir, folders):
        yield from (path for path in sorted(folder.glob("python3.*")) if _ON_PATH.fullmatch(path.name))


def tried(python: str, django: str, *, smoke: bool) -> Result:
    """Make the environment of one combination, and run the tests in it."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="portal-matrix-") as folder:
        copy = fresh_clone(Path(folder) / "checkout")
        commit_copy(copy)
        program = copy / ".venv" / "bin" / "python"
        steps = [["make", "install", f"PYTHON={python}"]]
        if DJANGOS[django]:
            steps.append([str(program), "-m", "pip", "install", "-q", "--upgrade", DJANGOS[django]])
        for step in steps:
            done = run(step, copy)
            if done.returncode:
                told = (done.stderr.strip().splitlines() or ["without a word"])[-1]
                return result(python, django, f"not run: {told}", started, failed=True)
        asked = "import django, platform; print(platform.python_version(), django.__version__)"
        versions = run([str(program), "-c", asked], copy).stdout.split()
        say("", f"Python {versions[0]}, Django {versions[1]}")
        told, failed = [], False
        for arguments in [(*OPTIONS, *SMOKE)] if smoke else runs_of("test"):
            with subprocess.Popen(
                [program, "-m", "pytest", *arguments], cwd=copy, env=variables(), stdout=subprocess.PIPE, text=True
            ) as process:
                lines = [line for line in process.stdout or () if sys.stdout.write(line)]
            told.append(lines[-1].strip("= \n") if lines else "nothing was said")
            failed = failed or process.returncode != 0
        return result(versions[0], versions[1], "; ".join(told), started, failed=failed)


def run(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run one step in a copy."""
    return subprocess.run(command, cwd=folder, env=variables(), capture_output=True, text=True, check=False)


def variables() -> dict[str, str]:
    """This process's environment, without what leads Python or git into this checkout."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GIT_", "VIRTUAL_ENV"))}
    own = str(Path(sys.prefix) / "bin")
    return kept | {"PATH": os.pathsep.join(each for each in os.get_exec_path() if each != own)}


def result(python: str, django: str, told: str, started: float, *, failed: bool) -> Result:
    """With the time that it took."""
    return Result(Path(python).name, django, told, (time.monotonic() - started) / 60, failed)


if __name__ == "__main__":
    sys.exit(main())
