"""Merged pages: cached pages with the user's own writes applied, as a read shows them."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from portal.api import current_backend
from portal.query.cache.page_cache import PAGE_LIFETIME_S
from portal.query.cache.pages import MAX_CLOCK_SKEW_S, READ_LAG_S
from portal.query.cache.patches import apply_answers, apply_patches
from portal.query.endpoints import ListRequest
from portal.rows import copied

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from portal.errors import ApiError
    from portal.query.cache.pages import JsonRow, Page
    from portal.query.cache.write_log import CacheEntry
    from portal.query.cache.write_records import Kind
    from portal.query.endpoints import ReadRequest, Registry

logger = logging.getLogger("portal.query")

CacheStatus: TypeAlias = Literal["memoized", "hit", "miss", "partial", "stale", "error"]
"""Where an answer came from, in the words of RFC 9211 where it has them.

memoized: this request had read the query before · hit: from the cache, fresh · miss: from the backend · partial: some
pages from the cache, others from the backend · stale: older data, which are fetched again behind the request, or stand
beside an error · error: no data.
"""
CACHE_STATUSES: Final[tuple[str, ...]] = get_args(CacheStatus)


@dataclass(frozen=True, slots=True)
class DeclaredMatches:
    """The `matches` of all mutations that change one list.

    :param endpoint: key of the list.
    """

    endpoint: str
    registry: Registry

    def __call__(self, kind: Kind, by: str, params: Mapping[str, Any], row: JsonRow) -> bool | None:
        """Whether the row belongs in the variant with these parameters; None where only the server knows.

        Without a `matches`, the list without parameters takes every row; whether a row meets a filter, and where it
        stands in a sorted list, only the server knows.
        """
        matches = self._matches(kind, by)
        if matches is None:
            return None if params or by not in self.registry.mutations else True
        try:
            # Copies: a function that changes one must not change the list, nor what its query asks for.
            belongs = matches(dict(params), copied(row))
        except Exception:
            logger.warning(
                "%s: `matches` raised for %s; fetching the list anew instead. It should give True, False or None"
                " for every combination of parameters",
                by,
                self.endpoint,
                exc_info=True,
            )
            return None
        return belongs if isinstance(belongs, bool) else None

    def _matches(self, kind: Kind, by: str) -> Callable[[Any, Any], bool | None] | None:
        hook = self.registry.mutations.get(by)
        # A list has one helper of each kind at most (portal.query.E008).
        for helper in hook.helpers if hook else ():
            if helper.kind == kind and helper.target == self.endpoint:
                return helper.matches
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedPage:
    """One page of a read.

    :param page: of a one-shot query, its body is that of the newest write that answers it.
    :param rows: with the writes that the page lacks; empty for a one-shot query.
    :param is_invalidated: whether a write made the page stale.
    :param total: how many rows the whole list has, by this page and the writes that it lacks; None where that is not
        known.
    :param is_patched: whether it shows a write that the page lacks, be it in its total alone.
    """

    page: Page
    rows: Sequence[JsonRow] = ()
    is_invalidated: bool = False
    total: int | None = None
    is_patched: bool = False

    def is_stale(self, *, now: float, stale_time_s: float) -> bool:
        """Whether the page does not count as fresh. A page from the future was stamped by a wrong clock."""
        age = now - self.page.at
        if self.page.certain_until is not None:
            # The page may lack a write, so it counts as fresh only until the backend's reads show that write.
            stale_time_s = min(stale_time_s, READ_LAG_S)
        return self.is_invalidated or age >= stale_time_s or age < -MAX_CLOCK_SKEW_S

    def may_show_stale(self, *, now: float) -> bool:
        """Whether the page may be shown although it is stale: by its age alone, and within the lifetime of a page.

        Not a page that may lack a write: this user would look for that write.
        """
        return (
            not self.is_invalidated
            and self.page.certain_until is None
            and -MAX_CLOCK_SKEW_S <= now - self.page.at < PAGE_LIFETIME_S
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResult:
    """The result of one read.

    :param error: why a fetch failed.
    :param is_stale: whether a page is stale: beside an error, or because it is fetched again behind the request.
    :param fetched: how many of the pages came from the backend now.
    :param patches: how many patches were applied.
    :param is_memoized: whether this request had read the query before.
    """

    pages: tuple[MergedPage, ...] = ()
    error: ApiError | None = None
    is_stale: bool = False
    fetched: int = 0
    patches: int = 0
    is_memoized: bool = False

    def memoized(self, count: int, *, error: ApiError | None) -> ReadResult:
        """What a later read of the same request gets.

        :param count: how many pages it asks for.
        """
        return ReadResult(
            pages=self.pages[:count],
            error=error,
            is_stale=self.is_stale,
            fetched=self.fetched,
            patches=self.patches,
            is_memoized=True,
        )

    @property
    def fetched_at(self) -> float | None:
        """When the request of the oldest page left, seconds since the epoch; None without pages."""
        return min([merged.page.at for merged in self.pages], default=None)

    @property
    def version(self) -> tuple[object, ...] | None:
        """What names these pages among all reads of the query: they were asked for in one namespace at these moments.

        None beside an error, where the pages show a write that they did not come with, and where the store has none.
        """
        pages = [merged.page for merged in self.pages if not merged.is_patched]
        named = [((page.stamp.position, page.stamp.generation), page.at, page.cursor) for page in pages if page.stamp]
        return tuple(named) if named and len(named) == len(self.pages) and self.error is None else None

    @property
    def cache_status(self) -> CacheStatus:
        """Where the pages came from."""
        if self.error is not None:
            return "stale" if self.pages else "error"
        if self.is_memoized:
            return "memoized"
        if not self.fetched:
            return "stale" if self.is_stale else "hit"
        return "miss" if self.fetched >= len(self.pages) else "partial"


def merge_pages(entry: CacheEntry, request: ReadRequest, *, registry: Registry) -> tuple[tuple[MergedPage, ...], int]:
    """The cached pages of a query with the writes that they lack, and how many patches that took."""
    params, records = request.key.params, entry.records
    if not isinstance(request, ListRequest):
        if not records:
            return tuple([MergedPage(page=page) for page in entry.pages]), 0
        answered = [apply_answers(page=page, records=records, params=params) for page in entry.pages]
        return (
            tuple(
                MergedPage(page=page, is_invalidated=is_invalidated, is_patched=bool(applied))
                for page, is_invalidated, applied in answered
            ),
            sum(applied for _, _, applied in answered),
        )
    if not records:
        return tuple([MergedPage(page=page, rows=page.rows, total=page.total) for page in entry.pages]), 0
    matches = DeclaredMatches(request.key.endpoint, registry)
    patched = apply_patches(
        pages=entry.pages,
        records=records,
        params=params,
        matches=matches,
        by_position=current_backend().cursors_are_positions,
    )
    return tuple(
        MergedPage(
            page=page,
            rows=rows,
            is_invalidated=invalidated,
            total=total,
            is_patched=rows is not page.rows or total != page.total,
        )
        for page, rows, invalidated, total in zip(
            entry.pages, patched.rows, patched.invalidated, patched.totals, strict=True
        )
    ), patched.patches


def has_next(pages: Sequence[MergedPage]) -> bool:
    """Whether another page follows these: not one of these themselves, where the backend's cursors go round."""
    cursor = pages[-1].page.next_cursor if pages else None
    return cursor is not None and all(merged.page.cursor != cursor for merged in pages)


def is_enough(pages: Sequence[MergedPage], count: int) -> bool:
    """Whether these are all the pages that are asked for, or that exist."""
    return len(pages) >= count or (bool(pages) and not has_next(pages))


def fresh_prefix(pages: Sequence[MergedPage], *, now: float, stale_time_s: float) -> int:
    """How many pages, from the first on, are fresh."""
    for index, page in enumerate(pages):
        if page.is_stale(now=now, stale_time_s=stale_time_s):
            return index
    return len(pages)
