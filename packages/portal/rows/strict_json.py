"""JSON from outside, in a form that the rest of the portal can work with. Pure.

Python's reader takes more than RFC 8259 allows, and a valid document can still break its readers: half of a surrogate
pair can't be written as UTF-8, and a document that is nested 900 levels deep ends a copy or a template by recursion.

What a request cache or another thread holds is never given out itself, but as a copy.
"""

import json
import math
from collections.abc import Iterable
from itertools import chain
from typing import Any, Final, NoReturn

#: Levels of lists and objects within one another that :func:`check_depth` accepts.
MAX_DEPTH: Final = 64
#: A document without these has no half of a surrogate pair: escapes, a half in UTF-8, bytes of UTF-16 and UTF-32.
_SIGNS_OF_HALVES: Final = (rb"\ud", rb"\uD", b"\xed", b"\0")


def read_json(content: bytes) -> Any:
    """Parse JSON as RFC 8259 defines it: no NaN, no infinities; integers of any size stay exact.

    Half of a surrogate pair becomes U+FFFD.

    :raises ValueError: the content is not JSON, or too deeply nested for the parser.
    """
    try:
        data = _parse(content)
        if any(sign in content for sign in _SIGNS_OF_HALVES):
            # A half stands within one text, never across two. So the whole document is replaced and parsed once more.
            data = _parse(replace_surrogates(json.dumps(data, ensure_ascii=False)))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return data


def replace_surrogates(text: str) -> str:
    """The text with U+FFFD for each half of a surrogate pair, as browsers write it. Two halves become one character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def may_be_deep(content: bytes) -> bool:
    """Whether JSON has more brackets than levels are allowed: without, :func:`check_depth` needs not look."""
    return content.count(b"[") + content.count(b"{") > MAX_DEPTH


def check_depth(data: Any) -> None:
    """Accept a JSON value that is nested at most 64 levels deep.

    :raises ValueError: it is nested more deeply.
    """
    level = [data]
    for _ in range(MAX_DEPTH + 1):
        level = [
            part
            for whole in level
            if type(whole) is dict or type(whole) is list
            for part in (whole.values() if type(whole) is dict else whole)
        ]
        if not level:
            return
    raise ValueError(f"nested more than {MAX_DEPTH} levels deep")


def _parse(source: bytes | str) -> Any:
    return json.loads(source, parse_constant=_reject_constant, parse_float=_finite)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is too large")
    return number


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


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
