"""The private folder that all processes on a machine share, and the secrets that are kept in it."""

from __future__ import annotations

import contextlib
import os
import secrets
from typing import TYPE_CHECKING

from portal.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path


def private_dir(path: Path) -> Path:
    """Make the folder `path` with mode 0700. A folder of this user that others may enter is made private.

    Root could make another user's folder private, but that user could open it again: such a folder is an error.

    :raises ConfigurationError: the folder belongs to another user, or can't be made or made private.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = path.stat()
        if status.st_uid != os.geteuid():
            raise ConfigurationError(
                f"APP_STATE_DIR should be a folder of this user's own: {path} belongs to user {status.st_uid}"
            )
        if status.st_mode & 0o077:
            path.chmod(0o700)
    except OSError as error:
        raise ConfigurationError(f"APP_STATE_DIR should be a folder of this user's own: {error}") from error
    return path


def kept_secret(path: Path) -> str:
    """The secret in the file `path`. The first use makes it; of several processes that start at once, exactly one does.

    :raises ConfigurationError: the file belongs to another user, others may read it, it is empty, or it can't be read.
    """
    try:
        if not path.exists():
            _make_secret(path)
        return _read_secret(path)
    except OSError as error:
        raise ConfigurationError(f"APP_STATE_DIR should hold a secret that can be read: {error}") from error


def _make_secret(path: Path) -> None:
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(64))
        # A hard link never replaces an existing file: the first process wins, with a complete secret.
        with contextlib.suppress(FileExistsError):
            os.link(fresh, path)
    finally:
        fresh.unlink()


def _read_secret(path: Path) -> str:
    """Read the secret. Owner and mode are those of the open file, which can't be replaced between check and read."""
    with path.open() as file:
        status = os.fstat(file.fileno())
        if status.st_uid != os.geteuid() or status.st_mode & 0o077:
            raise ConfigurationError(f"APP_STATE_DIR should hold {path.name} for this user alone: remove that file")
        secret = file.read().strip()
    if not secret:
        raise ConfigurationError(f"APP_STATE_DIR should hold a secret in {path.name}, which is empty: remove that file")
    return secret
