"""The panel of django-debug-toolbar with the queries and mutations of a request, and their outcomes.

It exists where `APP_DEBUG_TOOLBAR` is on, in `DEBUG` only. It shows the events that the request's `QueryClient`
keeps in any case.

A form's request is answered with a redirect, and so has no page: the history leads to it.
"""

import json
from typing import Any

from debug_toolbar.panels import Panel
from django.http import HttpRequest, HttpResponse

from portal.query import MutationEvent, QueryClient, QueryEvent
from portal.rows import replace_surrogates


class QueriesPanel(Panel):
    """Queries with their cache status, mutations, errors."""

    # The toolbar has properties here, and reads attributes as well.
    title = "Queries"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    template = "portal_dev/queries.html"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]

    def generate_stats(self, request: HttpRequest, response: HttpResponse) -> None:  # noqa: ARG002  the toolbar's
        """Keep the request's outcomes for the template."""
        client = getattr(request, "query_client", None)
        events: list[QueryEvent | MutationEvent]
        events = [*client.events, *client.mutations] if isinstance(client, QueryClient) else []
        rows = [_outcome(event) for event in sorted(events, key=lambda event: event.began_s)]
        self.record_stats({"rows": rows})  # type: ignore[no-untyped-call]  # the toolbar's own has no types


def _outcome(event: QueryEvent | MutationEvent) -> dict[str, Any]:
    """Return one row of the panel."""
    row = {"error": event.error, "milliseconds": event.duration_s * 1000}
    if isinstance(event, MutationEvent):
        return {**row, "key": event.write.endpoint, "status": "failed" if event.error else "done"}
    row |= {"key": replace_surrogates(json.dumps(event.query.parts, ensure_ascii=False)), "status": event.cache_status}
    return {**row, "age": event.age_s, "pages": event.pages, "patches": event.patches, "start": event.start or ""}
