"""The wheels of the library, the sandbox and the apps, built of a clone, installed in an environment of its own, and run by a user without rights."""

import contextlib
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.checkout_copy import commit_copy, fresh_clone
from tests.support.harness import require_tool, run_program
from tests.support.linked_environment import bare_shell, link_environment

#: Debian's user and group `nobody`, by number.
NOBODY = 65534
#: In a mount namespace of its own, so nothing of it is left: the packages are shown inside the tree, all of it is made
#: read-only, and the interpreter is shown to a user who may not enter the folders above it.
_ENTER = """
python=$1 closed=$2 packages=$3 tree=$4; shift 4
if [ $$ = 1 ]; then
    mount -t proc proc /proc
fi
if [ -n "$closed" ]; then
    stash=$(mktemp -d)
    mount --bind "$python" "$stash"
    mount -t tmpfs -o mode=755 none "$closed"
    mkdir -p "$python"
    mount --move "$stash" "$python"
    rmdir "$stash"
fi
mount --bind "$packages" "$tree/packages"
mount --rbind "$tree" "$tree"
mount -o remount,bind,ro "$tree"
mount -o remount,bind,ro "$tree/packages"
cd /
exec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --inh-caps=-all "$@"
"""


def clone_to_build(folder: Path) -> Path:
    """A clone with one commit and an environment, in which `make wheel` works."""
    clone = fresh_clone(folder)
    commit_copy(clone)
    link_environment(clone)
    return clone


#: Each distribution's name in the name of its wheel.
DISTRIBUTIONS = ("portal_library", "portal_sandbox_api", "portal_apps")


def make_wheels(clone: Path, *, umask: int = 0o022) -> dict[str, Path]:
    """`make wheel`: each wheel by its distribution. It runs without a network and without this machine's settings of pip."""
    nowhere = dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9")
    run_program("make", "wheel", cwd=clone, env=bare_shell(HOME="/nonexistent", no_proxy="", **nowhere), umask=umask)
    wheels = {path.name.partition("-")[0]: path for path in (clone / "dist").glob("*.whl")}
    assert set(wheels) == set(DISTRIBUTIONS)
    return wheels


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """An environment with the wheels alone, in a folder that everyone may enter.

    :param tree: read-only for :meth:`command`; `venv` is in it.
    :param scratch: the one folder that `nobody` may write to.
    """

    tree: Path
    scratch: Path

    @property
    def program(self) -> Path:
        """The program `portal`."""
        return self.tree / "venv" / "bin" / "portal"

    def command(self, *words: str | Path, first: bool = False) -> list[str]:
        """A command line as `nobody`, on a read-only tree. The process that is started becomes the program.

        :param first: the program is a child of that process, which gives its exit status, and is process 1 of a
            namespace of its own, as in a container.
        """
        python, packages = sys.base_prefix, sysconfig.get_path("purelib")
        return [
            *("unshare", "--mount", "--propagation", "private"),
            *(("--pid", "--fork", "--kill-child") if first else ()),
            *("sh", "-euc", _ENTER, "enter"),
            *(python, _closed(Path(python)), packages, str(self.tree)),
            *map(str, words),
        ]

    def variables(self, **variables: str) -> dict[str, str]:
        """An environment with neither HOME nor anything else of this process."""
        return {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "TMPDIR": str(self.scratch), **variables}

    def portal(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the program `portal`."""
        environment = self.variables(**variables)
        return run_program(*self.command(self.program, *words), status=None, env=environment, timeout=120)


@contextlib.contextmanager
def installed(wheels: Iterable[Path]) -> Iterator[Installed]:
    """Install wheels without their dependencies. Those of this process are seen beside it, and the checkout is not."""
    if os.geteuid() != 0:
        pytest.skip("needs root, which alone can become another user")
    require_tool("unshare")
    require_tool("setpriv")
    # Not pytest's own folder, which this user alone may enter.
    with tempfile.TemporaryDirectory(prefix="portal-wheel-") as folder:
        tree, scratch = Path(folder) / "tree", Path(folder) / "scratch"
        for path in (Path(folder), tree, scratch):
            path.mkdir(exist_ok=True)
            path.chmod(0o755)
        os.chown(scratch, NOBODY, NOBODY)
        (tree / "packages").mkdir()
        environment = tree / "venv"
        _run(sys.executable, "-m", "venv", "--without-pip", environment)
        target = Installed(tree=tree, scratch=scratch)
        _run(
            *(
                sys.executable,
                "-m",
                "pip",
                "--isolated",
                "--disable-pip-version-check",
                "--python",
                environment / "bin" / "python",
            ),
            *("install", "--quiet", "--no-deps", "--no-index", *wheels),
        )
        (site_packages,) = environment.glob("lib/python3*/site-packages")
        (site_packages / "packages.pth").write_text(f"{tree / 'packages'}\n")
        yield target


def _run(*command: str | Path) -> None:
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP_"))}
    run_program(*command, env=variables)


def _closed(path: Path) -> str:
    """The uppermost folder above a path that other users may not enter; empty where they may enter all."""
    return next((str(each) for each in reversed(path.parents) if not each.stat().st_mode & 0o001), "")
