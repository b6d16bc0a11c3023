"""Temporary folders: one for as long as this process runs, and one that all processes of a run of tests share."""

import atexit
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

#: The variable with the folder that all processes of a run share.
RUN_FOLDER = "TEST_RUN_FOLDER"
#: The variable with a folder that the runs of one command share, one after another.
GIVEN_FOLDER = "TEST_GIVEN_FOLDER"


def private_folder(prefix: str) -> Path:
    """Make it; this process removes it when it ends. A forked child that ends in order leaves it to its parent."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    atexit.register(_remove, folder, owner=os.getpid())
    return folder


def _remove(folder: Path, *, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


@cache
def run_folder() -> Path:
    """Return the folder that all processes of this run share, or one of this process where it runs alone."""
    return Path(os.environ.get(RUN_FOLDER) or private_folder("portal-test-run-"))


def share_prepared_files(state: Path) -> None:
    """Let the servers of this state folder find the static files and templates that others of this run have prepared.

    To prepare them takes three seconds of a processor. Servers in `DEBUG` keep none.
    """
    prepared, link = run_folder() / "prepared", state / "prepared"
    prepared.mkdir(mode=0o700, exist_ok=True)
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not link.exists():
        link.symlink_to(prepared)


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder of this run, which the first process that asks for it has filled."""
    made, unfinished = run_folder() / name, run_folder() / f"{name}-unfinished"
    with (run_folder() / f"{name}-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir()
            make(unfinished)
            unfinished.rename(made)
    return made
