"""The panel of django-debug-toolbar that shows a page's queries, with buttons to refetch and to clear.

It exists where `APP_DEBUG_TOOLBAR` is on, in `DEBUG` only. It shows the events that the request's `QueryClient`
keeps in any case (:class:`portal.query.QueryEvent`).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from debug_toolbar.panels import Panel
from django.middleware.csrf import get_token
from django.urls import path

from portal.devtools.query_buttons import clear_queries, refetch_query
from portal.query import QueryClient
from portal.strict_json import replace_surrogates

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse
    from django.urls import URLPattern

    from portal.query import QueryEvent


class QueriesPanel(Panel):
    """Key, cache status, time, age, patches applied, and token refreshes."""

    # The toolbar has properties here, and reads attributes as well.
    title = "Queries"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    template = "portal/devtools/queries.html"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]

    @property
    def nav_subtitle(self) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]  # its own is an empty text
        """How many queries there were, and how many of them called the backend."""
        stats = self.get_stats()  # type: ignore[no-untyped-call]  # the toolbar's own has no types
        return f"{len(stats.get('queries', ()))} queries, {stats.get('calls', 0)} fetched"

    @classmethod
    def get_urls(cls) -> list[URLPattern]:
        """Addresses of the buttons."""
        return [
            path("queries/refetch/", refetch_query, name="portal_refetch_query"),
            path("queries/clear/", clear_queries, name="portal_clear_queries"),
        ]

    def generate_stats(self, request: HttpRequest, response: HttpResponse) -> None:
        """Keep the events of the request's client for the template."""
        del response
        client = getattr(request, "query_client", None)
        events = client.events if isinstance(client, QueryClient) else []
        tokens = getattr(request, "token_store", None)
        self.record_stats(  # type: ignore[no-untyped-call]  # the toolbar has no types
            {
                "queries": [_row(event) for event in events],
                "calls": sum(event.cache_status in {"miss", "partial"} for event in events),
                "tokens": tokens.status.value if tokens is not None else "none",
                "csrf_token": get_token(request),
                "back": request.get_full_path(),
            }
        )


def _row(event: QueryEvent) -> dict[str, Any]:
    return {
        "key": replace_surrogates(json.dumps(event.key, ensure_ascii=False)),
        "cache_status": event.cache_status,
        "error": event.error,
        "milliseconds": event.duration_s * 1000,
        "age": event.age_s,
        "pages": event.pages,
        "patches": event.patches,
        "endpoint": event.endpoint,
        "params": json.dumps(event.key[1]),
        "start": event.start or "",
    }
