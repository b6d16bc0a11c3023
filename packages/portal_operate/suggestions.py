"""For messages about a name that is not known. Pure."""

import difflib
from collections.abc import Iterable
from typing import Final

#: From this likeness on, a name was probably misspelt.
_LIKENESS: Final = 0.6


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`did you mean 'clientName'?`, or nothing where no known name is like it."""
    close = difflib.get_close_matches(name, sorted(known), n=1, cutoff=_LIKENESS)
    return f"did you mean {close[0]!r}?" if close else ""
