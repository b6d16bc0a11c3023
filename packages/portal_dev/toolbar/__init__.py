"""Panels of django-debug-toolbar.

::

    queries_panel     the queries and mutations of a request and their outcomes
    history_panel     the latest requests, without what was sent
"""
