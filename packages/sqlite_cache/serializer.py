"""Values are stored as JSON, never as pickle.

A process that can write to the cache must not be able to run code in the processes that read it, and the processes may
run different versions of the code.
"""

from __future__ import annotations

import json
from typing import Any, Final

_DECODER: Final = json.JSONDecoder()


def _loads(stored: str | bytes) -> Any:
    # `json.loads` takes twice the time for a short value: it looks for white space before and after it.
    text = stored.decode() if isinstance(stored, bytes) else stored
    value, end = _DECODER.raw_decode(text)
    if end != len(text):
        raise ValueError("a stored value goes on behind its JSON")
    return value


class JSONSerializer:
    """A serializer for :class:`SQLiteCache`, and for Django's `RedisCache` (`OPTIONS["serializer"]`).

    Integers are plain digits, which Redis's own INCR expects. Tuples come back as lists, and keys of mappings as
    strings. A value without a JSON form is a `TypeError` or `ValueError`.
    """

    #: Compact, and in ASCII, so that lone surrogates can be stored too.
    dumps = staticmethod(json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode)
    loads = staticmethod(_loads)
