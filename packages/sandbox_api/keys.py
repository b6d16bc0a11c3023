"""Keys that are generated once and kept in a file that only its owner reads."""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

MINIMUM_KEY_LENGTH = 32
"""HS256 wants a key at least as long as its hash: 32 bytes (RFC 7518, section 3.2)."""


def kept_key(*, path: Path) -> str:
    """Give the key that is kept at `path`, made (0600) on the first call.

    Two processes that start together agree: the file appears whole or not at all, and the first one stays.
    """
    try:
        return path.read_text(encoding="ascii")
    except FileNotFoundError:
        pass
    # mkstemp makes the file 0600; a link can't be made where the name exists, so a key is never replaced.
    handle, draft_name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    draft = Path(draft_name)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(48))
        with suppress(FileExistsError):
            path.hardlink_to(draft)
    finally:
        draft.unlink()
    return path.read_text(encoding="ascii")
