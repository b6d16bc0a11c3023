"""Parts of pages that this process has rendered, for who asks for the same part again.

A part is rendered from its variables alone: no request, no form and no message is among them. So a part is the same for
everybody who has the same variables, and the key names those.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from fork_safety import ForkSafeLock

if TYPE_CHECKING:
    from collections.abc import Hashable

    from markupsafe import Markup

#: Some 60 lists of 20 rows, at most 4 MB.
MOST_CHARS: Final = 1_000_000


class PartCache:
    """The parts that were asked for last. Safe for threads.

    :param most_chars: characters of all parts together. Parts that are longer by themselves are not kept.
    """

    def __init__(self, *, most_chars: int = MOST_CHARS) -> None:
        self._most_chars = most_chars
        self._chars = 0
        self._parts: OrderedDict[Hashable, tuple[Markup, ...]] = OrderedDict()
        self._lock = ForkSafeLock()

    def get(self, key: Hashable) -> tuple[Markup, ...] | None:
        """The parts under one key; None if they are not kept."""
        with self._lock:
            parts = self._parts.get(key)
            if parts is not None:
                self._parts.move_to_end(key)
            return parts

    def put(self, key: Hashable, parts: tuple[Markup, ...]) -> None:
        """Keep parts, in place of those that were not asked for the longest."""
        if _chars(parts) > self._most_chars:
            return
        with self._lock:
            self._chars += _chars(parts) - _chars(self._parts.pop(key, ()))
            self._parts[key] = parts
            while self._chars > self._most_chars:
                self._chars -= _chars(self._parts.popitem(last=False)[1])


def _chars(parts: tuple[Markup, ...]) -> int:
    return sum(map(len, parts))
