"""A known name that is like one that is not known."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

#: From this likeness on, a name was probably misspelt.
_LIKENESS: Final = 0.6


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`; did you mean clientName?`, or nothing."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=_LIKENESS)
    return f"; did you mean {close[0]}?" if close else ""
