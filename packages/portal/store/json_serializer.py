"""How values are written for the shared store: as JSON, never as pickle.

Whoever can write to the store must not be able to run code in the projects' processes, and the four projects
may run different versions of the code.
"""

from __future__ import annotations

import json
from typing import Any


class JsonSerializer:
    """The serializer of Django's `RedisCache` (`OPTIONS["serializer"]`), and of the embedded store.

    Integers are plain digits, which is also what Redis's own INCR expects. Tuples come back as lists, and keys
    of mappings as strings. Anything else that JSON has no form for is a `TypeError` or `ValueError`.
    """

    def dumps(self, value: Any) -> str:
        """Write `value` as compact JSON in ASCII, so that no text is too strange to be kept."""
        return json.dumps(value, separators=(",", ":"), allow_nan=False)

    def loads(self, data: str | bytes) -> Any:
        """Read what :meth:`dumps` wrote."""
        return json.loads(data)
