"""The folder that all processes on this machine share, and the room on its disk."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from typing import TYPE_CHECKING, Final

from portal.operate.doctor.findings import error, ok, warning

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from portal.operate.doctor.findings import Finding, Patient

_MB: Final = 1024 * 1024
#: With less free room than the embedded store may take, and this beside it, the disk can become full.
_SPARE_MB: Final = 100


def look_at_state_folder(patient: Patient) -> Iterator[Finding]:
    """Owner, rights, and that it can be written to. A folder that is missing is made by the start."""
    folder = patient.config.state_dir
    existing = _existing(folder)
    try:
        status = existing.stat()
    except OSError as fault:
        yield error("state folder", f"{folder}: {fault.strerror}", "set APP_STATE_DIR to a folder of this user")
        return
    if existing != folder:
        if os.access(existing, os.W_OK | os.X_OK):
            yield ok("state folder", f"{folder} is not there yet; the first use makes it")
        else:
            yield error("state folder", f"{folder} can't be made: {existing} is not this user's", "set APP_STATE_DIR")
        return
    if status.st_uid != os.geteuid():
        yield error(
            "state folder",
            f"{folder} belongs to user {status.st_uid}, and this process is user {os.geteuid()}",
            "run this command as the servers' user, or give the folder to it",
        )
        return
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
    except OSError as fault:
        yield error("state folder", f"{folder} can't be written to: {fault.strerror}", "make room, or give it rights")
        return
    mode = stat.S_IMODE(status.st_mode)
    if mode & 0o077:
        yield warning("state folder", f"{folder} has mode {mode:04o}: others may enter", f"chmod 0700 {folder}")
    else:
        yield ok("state folder", f"{folder}, mode {mode:04o}, of this user")


def look_at_disk(patient: Patient) -> Iterator[Finding]:
    """The room below the state folder, against what the embedded store may take."""
    config = patient.config
    free = shutil.disk_usage(_existing(config.state_dir)).free // _MB
    stores = (not config.cache_url) + (not config.refresh_cache_url)
    needed = stores * config.store_max_mb + _SPARE_MB
    seen = f"{free:,} MB free below {config.state_dir}"
    if free < needed:
        yield warning("disk", f"{seen}; the embedded store may take {needed - _SPARE_MB} MB", "make room on that disk")
    else:
        yield ok("disk", seen)


def _existing(folder: Path) -> Path:
    return next((path for path in (folder, *folder.parents) if path.exists()), folder)
