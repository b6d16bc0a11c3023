"""Tools for developers, beside the applications. They run in `DEBUG` and in commands; no page of a user needs them.

::

    apps               the Django app, for the templates; installed with django-debug-toolbar only
    queries_panel      the toolbar's panel with what a request did
      timeline         queries, mutations and backend calls as rows with bars
      edge_facts       the edge's decision, as `explain_route` tells it
      query_buttons    its buttons: fetch one query again, clear the cache
      recorded_calls   the backend calls, from their log lines
    history_panel      the toolbar's latest requests, without what was sent
    breakpoints        what `breakpoint()` says in a server without a terminal
    openapi            declarations of a backend's calls from its schema, and whether both agree
    reference          the reference pages that are written from the code
    docs_site          the documentation as a site with search
    catalogs           the translations: finds texts, writes `.po`, compiles `.mo`
"""
