"""Pages: what the backend answered, stamped with when its request left. Pure.

A page is never changed. It carries the position that the endpoint's log of writes had *before* the request
left, so that a read knows which writes it may lack (:mod:`portal.query.cache.patches`). A one-shot answer is
a page too, the only one of its query.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from portal.config.wire_names import HAS_NEXT_FIELD, ITEMS_FIELD, NEXT_CURSOR_FIELD, SETTLE_S, TOTAL_FIELD
from portal.errors import ApiMalformedError

Row: TypeAlias = dict[str, Any]

#: What tells rows apart. A tuple: a union is made anew each time that it is asked for, here once for each row.
_NAMES = (str, int, float)
#: Members of a stored page.
_STORED_MEMBERS = 7
#: How far the clocks of two machines may be apart, seconds.
MAX_CLOCK_SKEW_S: Final = 2.0
#: How long after a write a page that is fetched may lack it, by clocks that may differ, seconds.
SETTLING_S: Final = SETTLE_S + MAX_CLOCK_SKEW_S if SETTLE_S else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionStamp:
    """What was so before a request left.

    :param position: of the endpoint's log.
    :param generation: changes when the whole cache, or all of an endpoint, is cleared.
    """

    position: int
    generation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One answer.

    :param stamp: None where there was no store to take one from: such a page is never stored.
    :param at: when the request left, seconds since the epoch.
    :param came_at: when the answer came.
    :param settled: newest position of the log whose write the answer certainly shows; None for the stamp's own. It is
        lower where a write was done only just before the request left: the backend's reads may lag (`SETTLE_S`).
    :param cursor: where it begins; None for the first page, and for one-shot answers.
    :param body: the server's own words.
    """

    stamp: VersionStamp | None
    at: float
    cursor: str | None
    body: Any
    came_at: float | None = None
    settled: int | None = None

    @property
    def shows_until(self) -> int:
        """The newest position whose write it certainly shows."""
        if self.settled is not None:
            return self.settled
        return self.stamp.position if self.stamp else 0

    @property
    def rows(self) -> list[Row]:
        """The rows of a list's page, as they came."""
        rows: list[Row] = self.body[ITEMS_FIELD]
        return rows

    @property
    def next_cursor(self) -> str | None:
        """Where the next page begins; None at the end. The server's last word, never computed from rows.

        A whole number, such as an offset, is taken as the text that it is in an address.
        A page that names itself as the next one would be loaded for ever: it is the end.
        """
        cursor = self.body.get(NEXT_CURSOR_FIELD)
        if isinstance(cursor, int) and not isinstance(cursor, bool):
            cursor = str(cursor)
        if not self.body.get(HAS_NEXT_FIELD, True) or not isinstance(cursor, str) or cursor in {"", self.cursor}:
            return None
        return cursor

    @property
    def has_next(self) -> bool:
        """Whether a next page exists."""
        return self.next_cursor is not None

    @property
    def total(self) -> int | None:
        """How many rows the list has in all, in the server's words; None where it gives no number."""
        total = self.body.get(TOTAL_FIELD)
        return total if isinstance(total, int) and not isinstance(total, bool) and total >= 0 else None

    @property
    def lacks_cursor(self) -> bool:
        """Whether it says that a next page exists, and not where."""
        return self.body.get(HAS_NEXT_FIELD) is True and not self.has_next

    def stored(self) -> list[Any]:
        """The page as JSON for the store; only for one with a stamp."""
        if self.stamp is None:
            raise ValueError("a page without a stamp can't be stored")
        return [
            self.stamp.position,
            self.stamp.generation,
            self.at,
            self.cursor,
            self.body,
            self.came_at,
            self.settled,
        ]


def page_from_stored(value: object) -> Page | None:
    """A page as the store gave it; None for what is none."""
    if not isinstance(value, list) or len(value) != _STORED_MEMBERS:
        return None
    position, generation, at, cursor, body, came_at, settled = value
    if not isinstance(position, int) or not isinstance(generation, str) or not isinstance(at, int | float):
        return None
    if not isinstance(came_at, int | float | None) or not isinstance(settled, int | None):
        return None
    stamp = VersionStamp(position=position, generation=generation)
    return Page(stamp=stamp, at=at, cursor=cursor, body=body, came_at=came_at, settled=settled)


def check_list_body(body: object, *, endpoint: str) -> None:
    """Refuse an answer that is no page of a list.

    :raises ApiMalformedError: it has no list of objects under `items`.
    """
    items = body.get(ITEMS_FIELD) if isinstance(body, Mapping) else None
    if not isinstance(items, list) or not all(isinstance(row, dict) for row in items):
        raise ApiMalformedError(f"{endpoint}: the answer is no page of a list")


def unique_rows(pages: Iterable[Sequence[Row]], *, unique_by: str | Literal[False]) -> tuple[tuple[Row, ...], bool]:
    """The rows of all pages in order, each once: the first occurrence wins.

    :returns: the rows, and whether some had no value in `unique_by` and could not be told apart.
    """
    if unique_by is False:
        return tuple(row for rows in pages for row in rows), False
    seen: set[str | int | float] = set()
    unique: list[Row] = []
    nameless = False
    for rows in pages:
        for row in rows:
            name = row.get(unique_by)
            if not isinstance(name, _NAMES):
                nameless = True
            elif name in seen:
                continue
            else:
                seen.add(name)
            unique.append(row)
    return tuple(unique), nameless
