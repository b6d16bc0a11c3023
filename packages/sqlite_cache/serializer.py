"""Values are stored as JSON, never as pickle.

A process that can write to the cache must not be able to run code in the processes that read it, and the processes may
run different versions of the code.
"""

from __future__ import annotations

import json
from typing import Any


class JSONSerializer:
    """A serializer for :class:`SQLiteCache`, and for Django's `RedisCache` (`OPTIONS["serializer"]`).

    Integers are plain digits, which Redis's own INCR expects. Tuples come back as lists, and keys of mappings as
    strings. A value without a JSON form is a `TypeError` or `ValueError`.
    """

    def dumps(self, value: Any) -> str:
        """Write `value` as compact JSON in ASCII, so that lone surrogates can be stored too."""
        return json.dumps(value, separators=(",", ":"), allow_nan=False)

    def loads(self, data: str | bytes) -> Any:
        """Read what :meth:`dumps` wrote."""
        return json.loads(data)
