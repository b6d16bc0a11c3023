"""Copies of JSON: what a request cache or another thread holds is never given out itself. Pure."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_CONTAINERS: Final = frozenset({dict, list})
_DICT: Final = frozenset({dict})


def copied(value: Any) -> Any:
    """A deep copy of JSON, or of a tuple of rows; a list is what comes out of both."""
    # Most rows are flat. To look at each of their values in Python would cost more than the rest of a cached read.
    if type(value) is dict:
        if _CONTAINERS.isdisjoint(map(type, value.values())):
            return value.copy()
        return {name: copied(part) if type(part) in _CONTAINERS else part for name, part in value.items()}
    if type(value) is list or type(value) is tuple:
        if _DICT.issuperset(map(type, value)):
            return copied_rows(value)
        return [copied(part) if type(part) in _CONTAINERS else part for part in value]
    return value


def copied_rows(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Copies of rows; flat rows are copied all at once."""
    rows = list(rows)
    if _CONTAINERS.isdisjoint(map(type, chain.from_iterable(map(dict.values, rows)))):
        return list(map(dict.copy, rows))
    return list(map(copied, rows))
