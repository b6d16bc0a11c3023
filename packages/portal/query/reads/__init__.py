"""The reads of one request, from its request cache down to the backend.

::

    cached_reads         Reads: request cache → the sign-in's cache, and what has to be fetched, in other threads too
      ├─▶ revalidations      stale responses fetched again behind the request
      └─▶ page_fetches       PageFetcher: single flight → backend → page cache, page by page
    walks                a whole list, past the cache
"""

from portal.query.reads.cached_reads import Reads
from portal.query.reads.page_fetches import PageFetcher
from portal.query.reads.walks import WalkedPage, walk_list
