"""How a command gets a token: never as a word of the command line, which other users and the shell's history see."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from portal.operate.answers import not_asked

if TYPE_CHECKING:
    from pathlib import Path


def read_token(path: Path | None) -> str:
    """The token in a file; on standard input for None and `-`.

    :raises CommandError: it can't be read; one line, and the status of a question that was not asked.
    """
    try:
        text = sys.stdin.read() if path is None or str(path) == "-" else path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise not_asked(f"the token can't be read: {getattr(error, 'strerror', None) or 'no text'}") from error
    return text.strip().removeprefix("Bearer ").strip()
