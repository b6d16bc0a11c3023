"""Tools for developers, beside the applications. They run in `DEBUG` and in commands; no page of a user needs them.

::

    apps               the Django app, for the templates; installed with django-debug-toolbar only
    queries_panel      the toolbar's panel with a page's queries
      query_buttons    its buttons: fetch one query again, clear the cache
    breakpoints        what `breakpoint()` says in a server without a terminal
    openapi            declarations of a backend's calls from its schema, and whether both agree
    catalogs           the translations: finds texts, writes `.po`, compiles `.mo`
"""
