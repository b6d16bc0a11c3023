"""How much script a page may load."""

from __future__ import annotations

import gzip
from typing import Final

#: Bytes, compressed by gzip, of all scripts that a page loads by itself. What it loads when somebody first asks for it,
#: the palette and the export of a list, comes later.
SCRIPT_LIMIT: Final = 32_000


def script_weight(text: bytes) -> int:
    """The weight of a script, in bytes compressed by gzip."""
    return len(gzip.compress(text))
