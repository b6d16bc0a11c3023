"""An environment for a copy of the checkout, as `make install` would build it there, without installing anything."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import django

from portal.config.environment.reader import MARKER
from tests.support.checkout_copy import copy_of_checkout
from tests.support.harness import run_program

#: What `make` touches when a step is done.
DONE = (".venv/.python", ".venv/.runtime", ".venv/.dev", MARKER)


def link_environment(checkout: Path, *, server: bool = False) -> None:
    """Make `.venv` in a copy: with the copy's own packages first, then those that this process has.

    :param server: as `make runtime` leaves it, and not `make install`.
    """
    environment, here = checkout / ".venv", Path(sys.prefix)
    packages = environment / Path(sysconfig.get_path("purelib")).relative_to(here)
    packages.mkdir(parents=True)
    # Packages of a process that runs in such an environment itself are elsewhere.
    installed = Path(django.__file__).parents[1]
    (packages / "workspace.pth").write_text(f"{checkout}\n{checkout / 'packages'}\n{installed}\n")
    (environment / "pyvenv.cfg").write_text((here / "pyvenv.cfg").read_text())
    (environment / "bin").mkdir()
    for program in Path(sysconfig.get_path("scripts")).iterdir():
        _link(program, environment / "bin" / program.name)
    for name in DONE:
        if not server or name not in {".venv/.dev", MARKER}:
            (checkout / name).touch()


def _link(program: Path, link: Path) -> None:
    """A link; of a script, a copy that the copy's own Python runs."""
    with program.open("rb") as file:
        first = file.readline(1000)  # not the whole of a binary
        rest = file.read() if first.startswith(b"#!") and b"python" in first else None
    if rest is not None:
        link.write_bytes(b"#!%s\n%s" % (bytes(link.with_name("python")), rest))
        link.chmod(0o755)
    else:
        link.symlink_to(program.resolve())


def copy_with_environment(folder: Path, *, whole: bool = False) -> Path:
    """Copy the checkout (:func:`copy_of_checkout`), with an environment."""
    copy = copy_of_checkout(folder, whole=whole)
    link_environment(copy)
    return copy


def bare_shell(**variables: str) -> dict[str, str]:
    """The variables of a shell in which no environment was activated."""
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", **variables}


def run_typed(
    command: str, *, folder: Path, answer: str = "", timeout_s: float = 180, status: int | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a command line in a shell in which no environment was activated.

    :param answer: the line that is typed when the command asks.
    :param status: of :func:`run_program`.
    """
    words = ("bash", "-euo", "pipefail", "-c", command)
    environment = bare_shell(**variables)
    return run_program(*words, status=status, cwd=folder, env=environment, input=f"{answer}\n", timeout=timeout_s)
