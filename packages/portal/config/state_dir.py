"""The private folder that all processes on a machine share, and the secrets that are kept in it."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

from portal.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path


def private_dir(path: Path) -> Path:
    """Make `path` with mode 0700, and refuse one that others may read or that is not ours.

    :raises ConfigurationError: the folder can't be made or made private.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.stat().st_mode & 0o077:
            path.chmod(0o700)
    except OSError as error:
        raise ConfigurationError(f"APP_STATE_DIR should be a folder of this user's own: {error}") from error
    return path


def kept_secret(path: Path) -> str:
    """The secret in the file `path`; made on first use, by exactly one of several processes that start at once."""
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    if not path.exists():
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(64))
        try:
            # A hard link never replaces an existing file: the first process wins, whole.
            os.link(fresh, path)
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_text()
