"""Addresses with parameters."""

from collections.abc import Iterable, Mapping
from datetime import date
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import urlencode

#: One value of a parameter, or several; None leaves the parameter out.
ParamValue: TypeAlias = str | int | date | Iterable[str] | None


def with_params(path: str, params: Mapping[str, ParamValue]) -> str:
    """The address of a page with parameters; one with several values is repeated: `?status=open&status=done`.

    :param params: an enumeration's member counts as its text on the wire. None and an empty text are left out.
    """
    pairs = []
    for name, value in params.items():
        # Most have one text, or none.
        texts = ([value] if value else ()) if type(value) is str else _texts(value)
        pairs += [_encoded(name, text) for text in texts]
    return f"{path}?{'&'.join(pairs)}" if pairs else path


@lru_cache(maxsize=512)
def _encoded(name: str, text: str) -> str:
    """A page has many addresses of the same parameters."""
    return urlencode([(name, text)], errors="replace")


def _texts(value: ParamValue) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        # An enumeration's own `str` may be its member's name.
        return [str.__str__(value)] if value else []
    if isinstance(value, Iterable):
        return [str.__str__(each) for each in value]
    return [str(value)]
