"""Panels of django-debug-toolbar.

::

    queries_panel     what a request did
      timeline        queries, mutations and backend calls as rows with bars
      edge_facts      the edge's decision, as `explain_route` tells it
      query_buttons   its buttons: fetch one query again, clear the cache
      recorded_calls  the backend calls, from their log lines
    history_panel     the latest requests, without what was sent
"""
