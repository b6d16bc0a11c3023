"""The page cache: what the backend answered, and what the user has written since.

::

    merged_pages         cached pages with the writes that they lack: what a read shows
      ├─▶ page_cache         pages and write logs in the store
      │     ├─▶ page_keys        where a page lies in the store
      │     ├─▶ sent_keys        may the backend answer a write with what it answered before?
      │     └─▶ write_log        the records of one endpoint's writes, in order
      ├─▶ row_matcher        in which variants of a list a written row belongs
      ├─▶ invalidated_queries  which queries of an endpoint become stale (pure)
      └─▶ patches            records applied to pages (pure)
            └─▶ write_records    what one write changes (pure)
                  └─▶ pages          one response and its version stamp (pure)

    stored_keys          what a key of the store is for, read back: for commands (pure)

No page is ever changed: a write appends one record, and each read applies the records that a page lacks
(docs/explanation/query-cache.md, "How writes show").
"""

from __future__ import annotations

from portal.query.cache.invalidated_queries import exact_query, matching_queries
from portal.query.cache.merged_pages import MergedPage, ReadResult, fresh_prefix, is_enough, merge_pages
from portal.query.cache.page_cache import NO_ENTRY, CacheEntry, PageCache
from portal.query.cache.page_keys import MAX_VARIANT_PAGES, lease_key
from portal.query.cache.pages import (
    MAX_CLOCK_SKEW_S,
    READ_LAG_S,
    JsonRow,
    Page,
    VersionStamp,
    check_list_body,
    unique_rows,
)
from portal.query.cache.stored_keys import KeyUse, endpoints_by_digest, read_key
from portal.query.cache.write_log import MAX_RECORDS
from portal.query.cache.write_records import (
    ALL_INVALIDATED,
    ALL_QUERIES,
    ANSWER,
    KINDS,
    InvalidatedQueries,
    Patch,
    WriteRecord,
    query_name,
    row_id,
)
