"""The search over everything that the user may open.

::

    found   search_everything: each searched list is asked, and what was found, by list
"""

from __future__ import annotations

from portal_pages.search.found import search_everything
