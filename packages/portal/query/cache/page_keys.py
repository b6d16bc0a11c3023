"""Where pages and leases lie in the store.

A query without parameters has a key of its own for each of its pages. All variants of a user (queries with parameters,
and lists from a cursor on) share `MAX_VARIANT_PAGES` places. A variant that gets the place of another one replaces it.
So a user who searches for one word after another fills a small part of the store, and nobody has to count or to tidy up
(ADR 4).

The format of pages is a part of each key, so a release never reads a page of another format (ADR 49). Leases are
shared: while one release fetches a page again, another one shows its own for that moment.

The other keys of the store are made in `write_log`, `sent_keys` and `portal.query.partition`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from portal.query.cache.pages import PAGE_FORMAT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.query.endpoints import QueryKey
    from portal.query.partition import Partition

#: Places that all variants of a user share.
MAX_VARIANT_PAGES: Final = 1024
_FORMAT: Final = f":{PAGE_FORMAT}:"
_CURSOR_CHARS: Final = 16
#: Hexadecimal characters of a digest that choose a variant's place.
_PLACE_CHARS: Final = 8
#: Members of what lies in a variant's place: the page's name, and the page.
_NAMED_MEMBERS: Final = 2


@dataclass(frozen=True, slots=True)
class PageKey:
    """Where one page lies.

    :param name: which page it is, where others may lie at the same key; empty where no other can.
    """

    key: str
    name: str

    def stored(self, page: list[Any]) -> list[Any]:
        """What is stored at the key for a page."""
        return [self.name, page] if self.name else page

    def page_in(self, found: Mapping[str, Any]) -> Any:
        """The page among values that were read from the store; None where there is none, or another one."""
        value = found.get(self.key)
        if not self.name:
            return value
        if not isinstance(value, list) or len(value) != _NAMED_MEMBERS or value[0] != self.name:
            return None
        return value[1]


def page_keys(
    partition: Partition,
    key: QueryKey,
    *,
    start: str | None,
    indexes: range,
    places: int = MAX_VARIANT_PAGES,
    backend: str = "",
) -> list[PageKey]:
    """Where some pages of a query lie.

    :param start: cursor of the query's first page; None for the beginning.
    :param places: that all variants of a user share.
    :param backend: hexadecimal name of the backend whose pages they are.
    """
    prefix = f"{partition.pages}{backend}"
    if start is None and not key.params:
        return [PageKey(f"{prefix}{_FORMAT}{key.digest}::{index}", "") for index in indexes]
    # Which queries get the same place depends on the user, and stays so: what happened to a user can be repeated.
    # The pages of one list lie side by side, so they never replace each other.
    mixed = hashlib.sha256(f"{partition.principal}:{_page_name(key, start, 0)}".encode()).hexdigest()
    first = int(mixed[:_PLACE_CHARS], 16)
    return [
        PageKey(f"{prefix}{_FORMAT}variant:{(first + index) % places}", _page_name(key, start, index))
        for index in indexes
    ]


def lease_key(partition: Partition, key: QueryKey, *, start: str | None, index: int) -> str:
    """Key of the lease for a revalidation that begins with this page of a query."""
    return f"{partition.pages}:lease:{_page_name(key, start, index)}"


def _page_name(key: QueryKey, start: str | None, index: int) -> str:
    # A cursor is the server's own text: of any length, and with any characters.
    begin = "" if start is None else hashlib.sha256(start.encode(errors="surrogatepass")).hexdigest()[:_CURSOR_CHARS]
    return f"{key.digest}:{begin}:{index}"
