r"""Answers' bodies as everything behind can work with them: nested within reason, and all text can be written. Pure.

JSON allows more. An answer that is nested 900 times over ends whatever follows it by recursion: a copy, the store's
JSON, a template. Half of a surrogate pair (`"\ud800"`) is a character to JSON, and to no page, address or hash.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, Final

from portal.errors import ApiMalformedError

#: Levels of lists and objects within one another.
MAX_DEPTH: Final = 64


def usable_body(body: Any, *, endpoint: str) -> Any:
    """An answer's JSON; where some text can't be written, a copy in which that text is replaced.

    :param endpoint: named in the error.
    :raises ApiMalformedError: it is nested more than 64 levels deep.
    """
    texts: list[str] = []
    level = [body]
    for _ in range(MAX_DEPTH + 1):
        texts += [part for part in level if type(part) is str]
        level = list(chain.from_iterable(_parts(part) for part in level if type(part) in {dict, list}))
        if not level:
            return body if _can_be_written("".join(texts)) else _replaced(body)
    raise ApiMalformedError(f"{endpoint}: the answer is nested more than {MAX_DEPTH} levels deep")


def writable(text: str) -> str:
    """The text with U+FFFD in the place of half surrogate pairs, as browsers write it; two halves become one."""
    return text if _can_be_written(text) else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _can_be_written(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _parts(whole: Any) -> Any:
    return chain(whole, whole.values()) if type(whole) is dict else whole


def _replaced(value: Any) -> Any:
    if type(value) is dict:
        return {writable(name): _replaced(part) for name, part in value.items()}
    if type(value) is list:
        return [_replaced(part) for part in value]
    return writable(value) if type(value) is str else value
