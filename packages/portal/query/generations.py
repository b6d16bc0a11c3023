"""Generations: random words in the store that pages are stamped with. Under another word a page is a miss.

One stands for all that is cached, one for each endpoint, one for each namespace. Clearing writes another word, and so
does the first proof of a token (:mod:`portal.query.namespaces`). A word that is missing, be it that nobody has
written it yet or that the store has lost it, is written anew, at random: what is stamped with the one before it
never counts again.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.store.aliases import SharedStore

#: Longer than anything else that is cached, so that a store which evicts by age takes a word last.
GENERATION_LIFETIME_S: Final = 7 * 24 * 60 * 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Generations:
    """The words of one store. Its methods raise `StoreUnavailableError`."""

    store: SharedStore

    def present(self, keys: tuple[str, ...], found: Mapping[str, Any]) -> str:
        """What pages are stamped with now.

        :param found: values that were read, those of `keys` among them.
        """
        return "/".join([self._word(key, found.get(key)) for key in keys])

    def renew(self, key: str) -> None:
        """Make a miss of all that is stamped with the word at `key`."""
        self.store.set(key, new_word(), lifetime_s=GENERATION_LIFETIME_S)

    def _word(self, key: str, found: object) -> str:
        if isinstance(found, str):
            return found
        word = new_word()
        if self.store.add(key, word, lifetime_s=GENERATION_LIFETIME_S):
            return word
        # Another process was first. If its word is lost again at once, ours fits nothing that is stored.
        other = self.store.get_many([key]).get(key)
        return other if isinstance(other, str) else word


def generation_key(endpoint: str | None) -> str:
    """Where the word of one endpoint stands; None for that of all that is cached."""
    return f"generation:{endpoint or ''}"


def namespace_generation_key(namespace: str) -> str:
    """Where the word of one namespace stands."""
    return f"{namespace}:generation"


def new_word() -> str:
    """A word that none was before."""
    return secrets.token_hex(8)
