"""Placeholders: while the backend does not answer, the row of a list stands in for a detail that is not cached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.config.limits import MAX_PAGES
from portal.query.cache import CacheEntry, MergedPage, Page, VersionStamp, merge_pages, row_id
from portal.query.endpoints import ID_PARAM, ListRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from portal.query.cache import JsonRow, WriteRecord
    from portal.query.endpoints import ReadRequest
    from portal.query.reads.page_fetches import PageFetcher
    from portal.query.request_cache import RequestCache


def placeholder_for(request: ReadRequest, *, fetcher: PageFetcher, request_cache: RequestCache) -> MergedPage | None:
    """The row with the id that `request` reads, as the page of the detail; None where the user's lists do not have it.

    A page that a write has invalidated does not count, and a row does not count if the user has since invalidated the
    detail: that write may have deleted the row.
    """
    name, partition = request.key.params.get(ID_PARAM), fetcher.partition.known
    if name is None or partition is None:
        return None
    for listed in _pages(request, fetcher=fetcher, request_cache=request_cache):
        for row in () if listed.is_invalidated else listed.rows:
            if row_id(row) == str(name):
                records = fetcher.cache.newest_records(partition, request.key.endpoint)
                [merged], _ = merge_pages(
                    _as_detail(row, records, at=listed.page.at), request, registry=fetcher.registry
                )
                return None if merged.is_invalidated else merged
    return None


def _as_detail(row: JsonRow, records: Sequence[tuple[int, WriteRecord]], *, at: float) -> CacheEntry:
    """The row as the page of its detail, with the writes of the detail that were done after the list was asked for."""
    since = tuple(record for record in records if record[1].may_be_newer(at=at))
    # No page of the detail has this stamp: it is never stored.
    stamp = VersionStamp(position=since[0][0] - 1, generation="") if since else None
    return CacheEntry(pages=(Page(stamp=stamp, at=at, cursor=None, body=row),), records=since)


def _pages(request: ReadRequest, *, fetcher: PageFetcher, request_cache: RequestCache) -> Iterator[MergedPage]:
    """What this request has read of the list; then its first pages without parameters, as they are cached."""
    declared, partition = request.placeholder, fetcher.partition.known
    if declared is None or declared.group is None or partition is None:
        return
    key = declared.query_key()
    for result in request_cache.results(key.endpoint, epoch=fetcher.partition.epoch):
        yield from result.pages
    entry = fetcher.cache.get(partition, key, count=MAX_PAGES)
    if entry.is_current:
        of_the_list = ListRequest(key=key, url=declared.url, unique_by=declared.unique_by)
        yield from merge_pages(entry, of_the_list, registry=fetcher.registry)[0]
