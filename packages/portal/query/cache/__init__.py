"""The page cache: what the backend answered, and what the user has written since.

::

    merged_pages         cached pages with the writes that they lack: what a read shows
      ├─▶ page_cache         pages and write logs in the store
      │     ├─▶ sent_keys        forms that arrive twice
      │     └─▶ write_log        the records of one endpoint's writes, in order
      └─▶ patches            records applied to pages (pure)
            └─▶ write_records    what one write changes, and which queries it makes stale
                  └─▶ pages          one response and its version stamp (pure)

No page is ever changed: a write appends one record, and each read applies the records that a page lacks
(docs/explanation/query-cache.md, "How writes show").
"""

from portal.query.cache.merged_pages import (
    CACHE_STATUSES,
    CacheStatus,
    ReadResult,
    fresh_prefix,
    has_next,
    is_enough,
    merge_fetched,
    merge_pages,
)
from portal.query.cache.page_cache import PageCache
from portal.query.cache.pages import (
    MAX_CLOCK_SKEW_S,
    JsonRow,
    Page,
    VersionStamp,
    check_list_body,
    unique_rows,
)
from portal.query.cache.patches import MergedPage
from portal.query.cache.sent_keys import POST_ANSWER_S
from portal.query.cache.write_log import MAX_RECORDS, NO_ENTRY, CacheEntry
from portal.query.cache.write_records import (
    ALL_QUERIES,
    ALL_STALE,
    ANSWER,
    KINDS,
    Patch,
    StaleQueries,
    WriteRecord,
    exact_query,
    query_name,
    row_id,
)
