"""Pages: responses of the backend, each with the version stamp of before its request left. Pure.

A page is never changed. Its stamp has the position of the endpoint's write log from before the request left, so a read
knows which writes the page may lack (:mod:`portal.query.cache.patches`). The backend's reads may be behind its writes:
so the stamp of a page whose request left within the last seconds after a write has the position before that write
(ADR 12). The response of a one-shot query is a page too, the only one of its query.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, Literal, TypeAlias

from portal.config.contract_names import HAS_NEXT_FIELD, ITEMS_FIELD, NEXT_CURSOR_FIELD, TOTAL_FIELD
from portal.config.limits import SETTLE_S
from portal.errors import ApiMalformedError

JsonRow: TypeAlias = dict[str, Any]

#: Types of values that tell rows apart.
_ID_TYPES: Final = frozenset({str, int, float})
#: A tuple: a union would be made again for each page.
_NUMBER: Final = (int, float)
#: The format of a stored page. It is a part of the page's key, so releases with different formats never read each
#: other's pages: to them these are missing. Raise it with every change of :meth:`Page.stored` (ADR 49).
PAGE_FORMAT: Final = 3
_STORED_MEMBERS: Final = 5
#: Lifetime of a page from when it was fetched, seconds: 15 minutes. Nothing extends it.
PAGE_LIFETIME_S: Final = 15 * 60
#: How far the clocks of two machines may be apart, seconds.
MAX_CLOCK_SKEW_S: Final = 2.0
#: How long after a write a page that is fetched may lack the write, by clocks that may differ, seconds (ADR 12): of a
#: backend that says nothing else.
READ_LAG_S: Final = SETTLE_S + MAX_CLOCK_SKEW_S


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionStamp:
    """The state of the cache before a request left.

    :param position: of the endpoint's write log: the newest one whose write the page certainly shows.
    :param generation: another one after the sign-in, the endpoint, or the whole cache was cleared.
    """

    position: int
    generation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One response.

    :param stamp: None where the store gave none: such a page is never stored.
    :param at: when the request left, seconds since the epoch.
    :param cursor: where the page begins; None for the first page, and for a one-shot query.
    :param body: the response's JSON, as it came.
    """

    stamp: VersionStamp | None
    at: float
    cursor: str | None
    body: Any

    @property
    def rows(self) -> list[JsonRow]:
        """The rows of a list's page, as they came."""
        rows: list[JsonRow] = self.body[ITEMS_FIELD]
        return rows

    @property
    def next_cursor(self) -> str | None:
        """Return the cursor of the next page, as the server says; None at the end. It is never worked out from rows.

        A whole number, such as an offset, counts as its text in an address. A page that names itself as the next one
        would be loaded for ever: that is the end too.
        """
        cursor = self.body.get(NEXT_CURSOR_FIELD)
        if isinstance(cursor, int) and not isinstance(cursor, bool):
            cursor = str(cursor)
        if not self.body.get(HAS_NEXT_FIELD, True) or not isinstance(cursor, str) or cursor in {"", self.cursor}:
            return None
        return cursor

    @property
    def has_next(self) -> bool:
        """Return whether a next page exists."""
        return self.next_cursor is not None

    @property
    def total(self) -> int | None:
        """Return the number of rows of the whole list, as the server says; None without a usable number."""
        total = self.body.get(TOTAL_FIELD)
        return total if isinstance(total, int) and not isinstance(total, bool) and total >= 0 else None

    @property
    def lacks_cursor(self) -> bool:
        """Return whether the server says that a next page exists, but not where it begins."""
        return self.body.get(HAS_NEXT_FIELD) is True and not self.has_next

    def stored(self) -> list[Any]:
        """The page as JSON for the store; only a page with a stamp has one."""
        if self.stamp is None:
            raise ValueError("a page without a stamp can't be stored")
        return [self.stamp.position, self.stamp.generation, self.at, self.cursor, self.body]


def parse_page(value: object, *, is_list: bool = False) -> Page | None:
    """A page as the store has it; None for a value that is not one.

    :param is_list: whether its body must be a page of a list.
    """
    if not isinstance(value, list) or len(value) != _STORED_MEMBERS:
        return None
    position, generation, at, cursor, body = value
    if not isinstance(position, int) or not isinstance(generation, str) or not isinstance(at, _NUMBER):
        return None
    if is_list and not _is_list_body(body):
        return None
    return Page(stamp=VersionStamp(position=position, generation=generation), at=at, cursor=cursor, body=body)


def chained_pages(
    values: Sequence[Any], *, start: str | None, stamp: VersionStamp, is_list: bool, most_records: int
) -> tuple[Page, ...]:
    """The stored pages up to the first that is missing, cleared, or does not begin where the one before it ends.

    :param values: as the store has them.
    :param start: cursor of the first one.
    :param stamp: of now.
    :param most_records: a page that lacks more is a miss.
    """
    pages: list[Page] = []
    cursor = start
    for value in values:
        page = parse_page(value, is_list=is_list)
        if page is None or page.stamp is None or page.cursor != cursor:
            break
        if page.stamp.generation != stamp.generation:
            break
        if not page.stamp.position <= stamp.position <= page.stamp.position + most_records:
            break
        pages.append(page)
        if len(pages) == len(values) or not page.has_next:
            break
        cursor = page.next_cursor
    return tuple(pages)


def check_list_body(body: object, *, endpoint: str) -> None:
    """Refuse a response that is not a page of a list.

    :raises ApiMalformedError: it has no list of objects under `items`.
    """
    if not _is_list_body(body):
        raise ApiMalformedError(f"{endpoint}: the answer is no page of a list")


def _is_list_body(body: object) -> bool:
    items = body.get(ITEMS_FIELD) if isinstance(body, dict) else None
    return isinstance(items, list) and [*map(type, items)].count(dict) == len(items)


def unique_rows(
    pages: Iterable[Sequence[JsonRow]], *, unique_by: str | Literal[False]
) -> tuple[tuple[JsonRow, ...], bool]:
    """The rows of all pages in order, each once: the first one stays.

    :returns: the rows, and whether some have no usable value in `unique_by`, so that nobody can tell them apart.
    """
    all_rows = tuple(chain.from_iterable(pages))
    if unique_by is False:
        return all_rows, False
    names: list[Any] = [row.get(unique_by) for row in all_rows]
    if _ID_TYPES.issuperset(map(type, names)) and len(set(names)) == len(names):
        return all_rows, False  # as nearly every list
    seen: set[str | int | float] = set()
    unique: list[JsonRow] = []
    has_unnamed = False
    for name, row in zip(names, all_rows, strict=True):
        if type(name) not in _ID_TYPES:
            has_unnamed = True
        elif name in seen:
            continue
        else:
            seen.add(name)
        unique.append(row)
    return tuple(unique), has_unnamed
