"""What everything behind can work with: answers that are nested within reason, text that can be written. Pure.

JSON allows more. An answer that is nested 900 times over ends whatever follows it by recursion: a copy, the store's
JSON, a template.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, Final

from portal.errors import ApiMalformedError

#: Levels of lists and objects within one another.
MAX_DEPTH: Final = 64


def usable_body(body: Any, *, endpoint: str) -> Any:
    """An answer's JSON.

    :param endpoint: named in the error.
    :raises ApiMalformedError: it is nested more than 64 levels deep.
    """
    level = [body]
    for _ in range(MAX_DEPTH + 1):
        level = list(chain.from_iterable(map(_parts, level)))
        if not level:
            return body
    raise ApiMalformedError(f"{endpoint}: the answer is nested more than {MAX_DEPTH} levels deep")


def writable(text: str) -> str:
    """The text with U+FFFD in the place of half surrogate pairs, as browsers write it.

    Answers come without them (:mod:`portal.api.responses`, which is not pure); parameters are a caller's own.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _parts(whole: Any) -> Any:
    if type(whole) is dict:
        return whole.values()
    return whole if type(whole) is list else ()
