"""The search over everything that the user may open.

::

    search_view    GET /{locale}/search: the page, and its parts for htmx
      found        search_everything: each searched list is asked, and what was found, by list
"""

from __future__ import annotations

from portal_pages.search.search_view import search
