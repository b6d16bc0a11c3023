"""Generations: random numbers in the store. A page carries the numbers of its time; under other numbers it is a miss.

There is one number for all cached data, one for each endpoint, and one for each namespace. To clear cached data is to
write another number. The first binding of a token does that too (:mod:`portal.query.partition.namespaces`). A missing
number is replaced by a new random one, so a page that carries a lost number never counts again.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from portal.store import note_unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from portal.store import SharedStore

#: Longer than anything else that is cached: a store that evicts by age takes a generation last. Seconds.
GENERATION_LIFETIME_S: Final = 7 * 24 * 60 * 60
_END: Final = 2**60


@dataclass(frozen=True, slots=True, kw_only=True)
class Generations:
    """The generations of one store. Its methods raise `StoreUnavailableError`.

    :param random_below: a random whole number from 0 to below its argument.
    """

    store: SharedStore
    random_below: Callable[[int], int] = secrets.randbelow

    def current(self, keys: tuple[str, ...], found: Mapping[str, Any]) -> str:
        """What a page carries that is fetched now. Makes the generations that are missing.

        :param found: values that were read from the store, those of `keys` among them.
        """
        numbers = [found.get(key) for key in keys]
        if set(map(type, numbers)) != {int}:
            numbers = [self._number(key, number) for key, number in zip(keys, numbers, strict=True)]
        return "/".join(map(str, numbers))

    def advance(self, key: str) -> None:
        """Make a miss of every page that carries the present number of `key`."""
        self.store.set(key, self.new(), lifetime_s=GENERATION_LIFETIME_S)

    def new(self) -> int:
        """A number that was never used. It is a number, because the embedded store reads numbers without decoding."""
        return self.random_below(_END)

    def _number(self, key: str, found: object) -> int:
        if isinstance(found, int):
            return found
        number = self.new()
        if self.store.add(key, number, lifetime_s=GENERATION_LIFETIME_S):
            return number
        # Another process was first. If its number is lost again at once, ours fits no stored page.
        other = self.store.get_many([key]).get(key)
        if isinstance(other, int):
            return other
        if other is not None:
            note_unknown("a generation of cached data")
            self.store.set(key, number, lifetime_s=GENERATION_LIFETIME_S)
        return number


def generation_key(endpoint: str | None) -> str:
    """Key of an endpoint's generation; None for that of all cached data."""
    return f"generation:{endpoint or ''}"


def namespace_generation_key(namespace: str) -> str:
    """Key of a namespace's generation."""
    return f"{namespace}:generation"
