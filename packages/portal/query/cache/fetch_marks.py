"""Fetch marks: was a write done while a request was under way whose user nobody knew yet?

A page needs the version stamp of before its request left, and the stamp lies in its user's namespace. The namespace of
a token that is not bound is not known. So the stamp is taken after the token was bound, and a mark in the store tells
whether the stamp is good:

1. A fetch opens the mark of its endpoint, then its request leaves. Later the token is bound, the stamp is taken (which
   makes the write log, where it is missing), and the fetch looks whether the mark is still open.
2. A write that is done closes the marks of its endpoints. Then it looks for the user, for the namespace and for the
   write log, and appends its record.

If the write closes the mark before the fetch looks, the page is not kept. If the write closes it after that look, the
write finds the binding, the namespace and the log, and its record is newer than the stamp. The mark is a random number:
one that was lost, or closed and opened again, is another one. All fetches of an endpoint share its mark, of all users.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.errors import StoreUnavailableError
from portal.query.partition import generation_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from portal.query.partition import Namespaces
    from portal.store import SharedStore

logger = logging.getLogger("portal.query")


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchMarks:
    """The fetch marks of one store. Where the store is down, no mark is open."""

    store: SharedStore
    namespaces: Namespaces

    def open(self, endpoint: str) -> str | None:
        """Open the mark of an endpoint, or share the one that is open; None where the store is down.

        :returns: the mark's number, and those generations that are known before the user is.
        """
        keys = _keys(endpoint)
        try:
            return self.namespaces.generations.current(keys, self.store.get_many(keys))
        except StoreUnavailableError as error:
            logger.warning("%s: read without the cache: %s", endpoint, error)
            return None

    def is_open(self, mark: str, *, endpoint: str) -> bool:
        """Whether no write of the endpoint was done since the mark was opened, nor the cache cleared."""
        keys = _keys(endpoint)
        try:
            found = self.store.get_many(keys)
        except StoreUnavailableError as error:
            logger.warning("%s: a page was not cached: %s", endpoint, error)
            return False
        return mark == "/".join(str(found.get(key)) for key in keys)

    def close(self, endpoints: Iterable[str]) -> None:
        """Close the marks of endpoints, because a write that concerns them is done; later, if the store is down."""
        marks = [_mark_key(endpoint) for endpoint in endpoints]
        try:
            if self.store.get_many(marks):
                self.store.delete_many(marks)
        except StoreUnavailableError:
            self.namespaces.pending_purges.delete(marks)


def _keys(endpoint: str) -> tuple[str, str, str]:
    return _mark_key(endpoint), generation_key(None), generation_key(endpoint)


def _mark_key(endpoint: str) -> str:
    return f"fetch-mark:{endpoint}"
