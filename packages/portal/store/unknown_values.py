"""Values in the store that this release can't read: another release wrote them, or they were damaged.

Each reader knows what such a value counts as; in most cases as missing. Nobody is shown an error for it. The log tells
it once an hour for each kind of value and process, because one such value may be read with every request.
"""

import logging
import time
from typing import Final

logger = logging.getLogger(__name__)

#: Pause between two lines about one kind of value, seconds.
QUIET_S: Final = 3600.0

_next_line: dict[str, float] = {}


def note_unknown(kind: str, *, counts_as: str = "it counts as missing") -> None:
    """Log that a value of this kind can't be read.

    :param kind: what it should be, such as `a cached page`. It names no key: some keys are hashes of tokens.
    :param counts_as: what follows for its reader.
    """
    now = time.monotonic()
    if now < _next_line.get(kind, now):
        return
    _next_line[kind] = now + QUIET_S
    logger.warning(
        "store: %s can't be read, %s: another release wrote it, or it is damaged (docs/reference/stored-formats.md)",
        kind,
        counts_as,
    )
