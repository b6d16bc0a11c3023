"""Panels of django-debug-toolbar.

::

    queries_panel     what a request did: the edge's decision, the calls, buttons to fetch one again
      timeline        queries, mutations and backend calls (from their log lines) as rows with bars
    history_panel     the latest requests, without what was sent
"""
