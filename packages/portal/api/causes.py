"""What to say of an error in the log: the innermost one of its chain, in words that are nobody's."""

from __future__ import annotations

import json
from typing import Final

import requests

from portal.errors import ApiError, PortalError

#: A cause's own words are cut here, characters.
MAX_REASON_CHARS: Final = 200
#: Libraries that raise an error of their own in place of another without naming it. With any other, what was being
#: handled may have nothing to do with it: a page may well call in an `except`.
_WRAPPERS: Final = frozenset({"requests", "urllib3", "redis"})


def describe_cause(error: BaseException) -> str:
    """The innermost error of a chain: its class, and its words where they can't repeat what was sent or answered."""
    seen = {id(error)}
    while True:
        inner = error.__cause__
        if inner is None and not error.__suppress_context__ and type(error).__module__.partition(".")[0] in _WRAPPERS:
            inner = error.__context__
        if inner is None or id(inner) in seen:
            break
        error = inner
        seen.add(id(error))
    kind, words = type(error), _own_words(error)
    name = f"{kind.__module__}.{kind.__name__}" if kind.__name__ == "error" else kind.__name__
    return f"{name}: {words}" if words else name


def _own_words(error: BaseException) -> str:
    if isinstance(error, json.JSONDecodeError):
        words = f"{error.msg}: line {error.lineno} column {error.colno}"
    elif isinstance(error, OSError) and not isinstance(error, requests.RequestException):
        words = getattr(error, "verify_message", "") or error.strerror or str(error)
    elif isinstance(error, PortalError) and not (isinstance(error, ApiError) and error.status is not None):
        words = str(error)
    else:
        # Others quote what they could not read, or the address with its query.
        return ""
    return "".join(character if character.isprintable() else " " for character in words)[:MAX_REASON_CHARS]
