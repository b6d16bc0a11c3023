"""Generations: random numbers in the store that pages are stamped with. Under another number a page is a miss.

One stands for all that is cached, one for each endpoint, one for each namespace. Clearing writes another number, and so
does the first proof of a token (:mod:`portal.query.partition.namespaces`). A number that is missing, be it that nobody
has written it yet or that the store has lost it, is written anew, at random: what is stamped with the one before
it never counts again.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.store import SharedStore

#: Longer than anything else that is cached, so that a store which evicts by age takes a number last.
GENERATION_LIFETIME_S: Final = 7 * 24 * 60 * 60
_END: Final = 2**60


@dataclass(frozen=True, slots=True, kw_only=True)
class Generations:
    """The numbers of one store. Its methods raise `StoreUnavailableError`."""

    store: SharedStore

    def present(self, keys: tuple[str, ...], found: Mapping[str, Any]) -> str:
        """What pages are stamped with now.

        :param found: values that were read, those of `keys` among them.
        """
        return "/".join([str(self._number(key, found.get(key))) for key in keys])

    def renew(self, key: str) -> None:
        """Make a miss of all that is stamped with the number at `key`."""
        self.store.set(key, new_generation(), lifetime_s=GENERATION_LIFETIME_S)

    def _number(self, key: str, found: object) -> int:
        if isinstance(found, int):
            return found
        number = new_generation()
        if self.store.add(key, number, lifetime_s=GENERATION_LIFETIME_S):
            return number
        # Another process was first. If its number is lost again at once, ours fits nothing that is stored.
        other = self.store.get_many([key]).get(key)
        return other if isinstance(other, int) else number


def generation_key(endpoint: str | None) -> str:
    """Where the number of one endpoint stands; None for that of all that is cached."""
    return f"generation:{endpoint or ''}"


def namespace_generation_key(namespace: str) -> str:
    """Where the number of one namespace stands."""
    return f"{namespace}:generation"


def new_generation() -> int:
    """A number that none was before. The embedded store keeps it as one, which costs a read no decoding."""
    return secrets.randbelow(_END)
