"""Where the audit log goes: `APP_AUDIT_LOG`. Looked at once, so that a wrong place stops the start."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from portal.errors import ConfigurationError

STDERR: Final = "stderr"
OFF: Final = "off"
_SHOULD_BE: Final = "APP_AUDIT_LOG should be stderr, off, or the absolute path of a file"


def check_audit_log(value: str) -> str:
    """`stderr`, `off`, or the path of a file that this process can write. Nothing is created here.

    :raises ConfigurationError: it is none of these.
    """
    value = value.strip()
    if value in {STDERR, OFF}:
        return value
    path = Path(value)
    if not path.is_absolute() or not value.isprintable():
        raise ConfigurationError(_SHOULD_BE)
    if path.exists():
        if not path.is_file() or not os.access(path, os.R_OK | os.W_OK):
            raise ConfigurationError(f"{_SHOULD_BE} that this process can write: {value} is none")
    elif not os.access(path.parent, os.W_OK | os.X_OK):
        raise ConfigurationError(f"{_SHOULD_BE} that this process can write: {path.parent} does not let it")
    return value
