"""What this process has rendered, for who asks for the same again.

It is rendered from its variables alone, and its key names all of them: no form's token, no message, and nothing of a
user whom the key does not name.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final, TypeAlias, TypeVar, cast

from fork_safety import ForkSafeLock
from portal.config.current import portal_config
from portal.web.request import active_locale

#: Texts, or texts as octets.
Parts: TypeAlias = tuple[str, ...] | tuple[bytes, ...]
TParts = TypeVar("TParts", bound=Parts)

#: Some 65 pages of 28 kB.
MOST_CHARS: Final = 2_000_000
#: As many count for a key.
KEY_CHARS: Final = 2_000
#: A day begins with one of these quarters of an hour, in each time zone. In the store, a user's data stays as long.
_QUARTER_S: Final = 15 * 60


class PartCache:
    """What was asked for last, in this quarter of an hour. Safe for threads.

    :param most_chars: characters of all parts together. Parts that are longer by themselves are not kept.
    """

    def __init__(self, *, most_chars: int = MOST_CHARS) -> None:
        self._most_chars = most_chars
        self._chars = 0
        self._parts: OrderedDict[tuple[Hashable, ...], Parts] = OrderedDict()
        self._lock = ForkSafeLock()

    def kept(self, make: Callable[[], TParts], *, key: tuple[Hashable, ...] | None) -> TParts:
        """What `make` gives, made once while it is kept.

        :param key: names all that it is made of, with the time zone where it has times; but not the active language,
            nor the day. None: it is not kept. Nothing is while templates may change.
        """
        if key is None or portal_config().debug:
            return make()
        key = (int(time.time()) // _QUARTER_S, active_locale(), *key)
        with self._lock:
            parts = self._parts.get(key)
            if parts is not None:
                self._parts.move_to_end(key)
        if parts is None:
            parts = make()
            self._put(key, parts)
        return cast("TParts", parts)

    def clear(self) -> None:
        """Keep nothing: what one test has rendered must not reach the next."""
        with self._lock:
            self._parts.clear()
            self._chars = 0

    def _put(self, key: tuple[Hashable, ...], parts: Parts) -> None:
        chars = _chars_of(parts)
        if chars > self._most_chars:
            return
        with self._lock:
            before = self._parts.pop(key, None)
            self._chars += chars - (0 if before is None else _chars_of(before))
            self._parts[key] = parts
            # What is left of an earlier quarter was looked at before all of this one.
            while self._chars > self._most_chars or next(iter(self._parts))[0] != key[0]:
                self._chars -= _chars_of(self._parts.popitem(last=False)[1])


def _chars_of(parts: Parts) -> int:
    return KEY_CHARS + sum(map(len, parts))


#: That of the process.
part_cache: Final = PartCache()
