"""Merged pages: cached pages with the user's own writes applied, as a read shows them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal, TypeAlias, get_args

from portal.api import current_backend
from portal.errors import ApiError
from portal.query.cache.pages import JsonRow, Page
from portal.query.cache.patches import MergedPage, apply_answers, apply_patches
from portal.query.cache.write_log import CacheEntry
from portal.query.cache.write_records import Kind, WriteRecord
from portal.query.endpoints import ListRequest, ReadRequest, Registry
from portal.rows import copied

logger = logging.getLogger("portal.query")

CacheStatus: TypeAlias = Literal["memoized", "hit", "miss", "partial", "stale", "error"]
"""The source of an answer, in the words of RFC 9211 where it has them.

memoized: this request had read the query before · hit: from the cache, fresh · miss: from the backend · partial: some
pages from the cache, others from the backend · stale: older data, which are fetched again behind the request, or stand
beside an error · error: no data.
"""
CACHE_STATUSES: Final[tuple[str, ...]] = get_args(CacheStatus)


def declared_matches(
    kind: Kind, by: str, params: Mapping[str, Any], row: JsonRow, *, endpoint: str, registry: Registry
) -> bool | None:
    """Return whether a row belongs in the variant of a list; None where only the server knows.

    The mutation's `matches` says it. Without one, the list without parameters takes every row; whether a row meets a
    filter, and where it stands in a sorted list, only the server knows.

    :param endpoint: key of the list.
    """
    hook = registry.mutations.get(by)
    # A list has one helper of each kind at most (portal.query.E008).
    helpers = hook.helpers if hook else ()
    matches = next((helper.matches for helper in helpers if (helper.kind, helper.target) == (kind, endpoint)), None)
    if matches is None:
        return None if params or hook is None else True
    try:
        # Copies: a function that changes one must not change the list, nor what its query asks for.
        belongs = matches(dict(params), copied(row))
    except Exception:
        logger.warning(
            "%s: `matches` raised for %s; fetching the list anew instead. It should give True, False or None"
            " for every combination of parameters",
            by,
            endpoint,
            exc_info=True,
        )
        return None
    return belongs if isinstance(belongs, bool) else None


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
        """Return the result for a later read of the same request.

        :param count: how many pages it asks for.
        """
        return replace(self, pages=self.pages[:count], error=error, is_memoized=True)

    @property
    def fetched_at(self) -> float | None:
        """When the request of the oldest page left, seconds since the epoch; None without pages."""
        return min([merged.page.at for merged in self.pages], default=None)

    def version(self, request: ReadRequest) -> tuple[object, ...] | None:
        """Return the name of the data: the query, since rows that contradict it are left out, the spaces and moments.

        None beside an error, where the pages show a write that they did not come with, and where the store has none.
        """
        pages = [merged.page for merged in self.pages if not merged.is_patched]
        named = [((page.stamp.position, page.stamp.generation), page.at, page.cursor) for page in pages if page.stamp]
        is_named = named and len(named) == len(self.pages) and self.error is None
        return (request.key.digest, *named) if is_named else None

    @property
    def cache_status(self) -> CacheStatus:
        """Return the source of the pages."""
        if self.error is not None:
            return "stale" if self.pages else "error"
        if self.is_memoized:
            return "memoized"
        if not self.fetched:
            return "stale" if self.is_stale else "hit"
        return "miss" if self.fetched >= len(self.pages) else "partial"


def merge_pages(entry: CacheEntry, request: ReadRequest, *, registry: Registry) -> tuple[tuple[MergedPage, ...], int]:
    """Return the cached pages of a query with the writes that they lack, and how many patches that took."""
    if not entry.records:
        return tuple([_unmerged(page, request) for page in entry.pages]), 0
    merged = tuple([_merged(page, request, entry.records, registry, fetched=False) for page in entry.pages])
    return merged, sum(page.applied for page in merged)


def merge_fetched(
    page: Page, request: ReadRequest, missing: Sequence[tuple[int, WriteRecord]], *, registry: Registry
) -> MergedPage:
    """Return a page that was just fetched, with the writes that it may lack. No later page is newer, so it is shown.

    :param missing: these writes, with their positions. Those up to one that makes the page stale do not count.
    """
    for first in range(len(missing)):
        merged = _merged(page, request, missing[first:], registry, fetched=True)
        if not merged.is_invalidated:
            return merged
    return _unmerged(page, request)


def _unmerged(page: Page, request: ReadRequest) -> MergedPage:
    """Return a page that lacks no write."""
    if isinstance(request, ListRequest):
        return MergedPage(page=page, rows=page.rows, total=page.total)
    return MergedPage(page=page)


def _merged(
    page: Page, request: ReadRequest, records: Sequence[tuple[int, WriteRecord]], registry: Registry, *, fetched: bool
) -> MergedPage:
    shown = page.stamp.position if page.stamp else 0
    lacking = [record for position, record in records if position > shown]
    if not lacking:
        return _unmerged(page, request)
    params = request.key.params
    if isinstance(request, ListRequest):
        matches = partial(declared_matches, endpoint=request.key.endpoint, registry=registry)
        by_position = current_backend().cursors_are_positions
        return apply_patches(page, lacking, params=params, matches=matches, by_position=by_position, fetched=fetched)
    return apply_answers(page, lacking, params=params)


def has_next(pages: Sequence[MergedPage]) -> bool:
    """Return whether another page follows these: none of these themselves, where the cursors go round."""
    cursor = pages[-1].page.next_cursor if pages else None
    return cursor is not None and all(merged.page.cursor != cursor for merged in pages)


def is_enough(pages: Sequence[MergedPage], count: int) -> bool:
    """Return whether these are all the pages that are asked for, or that exist."""
    return len(pages) >= count or (bool(pages) and not has_next(pages))


def fresh_prefix(pages: Sequence[MergedPage], *, now: float, stale_time_s: float) -> int:
    """Return the number of pages, from the first on, that are fresh."""
    stale = (index for index, page in enumerate(pages) if page.is_stale(now=now, stale_time_s=stale_time_s))
    return next(stale, len(pages))
