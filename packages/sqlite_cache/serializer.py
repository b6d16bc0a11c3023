"""Values are stored as JSON, never as pickle.

A process that can write to the cache must not be able to run code in the processes that read it, and the processes may
run different versions of the code.
"""

import json
from enum import Enum
from typing import Any, Final

import msgspec

#: Takes half the time of `json.loads`, for a page of rows and for a number.
_DECODER: Final = msgspec.json.Decoder()


class Unreadable(Enum):
    """What is read in place of a value that is no JSON."""

    UNREADABLE = "unreadable"


#: It is no error, because one such value among those that are read together must not hide the others. Whether it counts
#: as missing, the reader knows: a damaged copy does, a damaged lock does not.
UNREADABLE: Final = Unreadable.UNREADABLE


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _loads(stored: str | bytes) -> Any:
    try:
        return _DECODER.decode(stored)
    except (msgspec.DecodeError, RecursionError, TypeError):
        pass
    try:
        # Half of a surrogate pair, which only the standard library reads.
        return json.loads(stored, parse_constant=_refuse)
    except (ValueError, RecursionError, TypeError):
        return UNREADABLE


class JSONSerializer:
    """A serializer for :class:`SQLiteCache`, and for Django's `RedisCache` (`OPTIONS["serializer"]`).

    Integers are plain digits, which Redis's own INCR expects. Tuples come back as lists, and keys of mappings as
    strings. A value without a JSON form is a `TypeError` or `ValueError`. What is stored and is no JSON, because it was
    damaged or something else wrote it, is read as :data:`UNREADABLE`.
    """

    #: Compact, and in ASCII, so that lone surrogates can be stored too.
    dumps = staticmethod(json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode)
    loads = staticmethod(_loads)
