"""The panel of django-debug-toolbar with the queries and mutations of a request, and their outcomes.

It exists where `APP_DEBUG_TOOLBAR` is on, in `DEBUG` only. It shows the events that the request's `QueryClient`
keeps in any case.

A form's request is answered with a redirect, and so has no page. The page that the browser then asks for shows it, too.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from debug_toolbar.panels import Panel
from django.conf import settings

from portal.query import MutationEvent, QueryClient, QueryEvent
from portal.rows import replace_surrogates

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

#: Redirects whose pages have not been asked for: the latest ones.
MAX_REDIRECTS: Final = 20
#: A browser and the address to which it was redirected, to the toolbar's id of that request.
_redirects: dict[tuple[str, str], str] = {}


class QueriesPanel(Panel):
    """Queries with their cache status, mutations, errors; also those of the form's request that led here."""

    # The toolbar has properties here, and reads attributes as well.
    title = "Queries"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    template = "portal_dev/queries.html"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]

    @property
    def nav_subtitle(self) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]  # its own is an empty text
        """Return how many queries and mutations there were, also in the request that led here."""
        stats = self.get_stats()  # type: ignore[no-untyped-call]  # the toolbar's own has no types
        return f"{sum(len(each['rows']) for each in stats.get('requests', ()))} queries and mutations"

    def generate_stats(self, request: HttpRequest, response: HttpResponse) -> None:
        """Keep the request's outcomes for the template, and for the page to which it leads."""
        client, address = getattr(request, "query_client", None), request.get_full_path()
        events: list[QueryEvent | MutationEvent]
        events = [*client.events, *client.mutations] if isinstance(client, QueryClient) else []
        rows = [_outcome(event) for event in sorted(events, key=lambda event: event.began_s)]
        this = {"method": request.method, "path": address, "status": response.status_code, "rows": rows}
        # A browser that has sent a form has the cookie of Django's CSRF protection.
        browser = request.COOKIES.get(settings.CSRF_COOKIE_NAME, "")
        before = _redirects.pop((browser, address), None)
        stats = self.toolbar.store.panel(before, self.panel_id) if before else {}
        requests = [*stats.get("requests", ())[-1:], this]
        self.record_stats({"requests": requests})  # type: ignore[no-untyped-call]  # the toolbar's own has no types
        if browser and "Location" in response.headers:
            _redirects[browser, response.headers["Location"]] = self.toolbar.request_id
            if len(_redirects) > MAX_REDIRECTS:
                _redirects.pop(next(iter(_redirects)), None)


def _outcome(event: QueryEvent | MutationEvent) -> dict[str, Any]:
    """Return one row of the panel."""
    row = {"error": event.error, "milliseconds": event.duration_s * 1000}
    if isinstance(event, MutationEvent):
        return {**row, "key": event.write.endpoint, "status": "failed" if event.error else "done"}
    row |= {"key": replace_surrogates(json.dumps(event.key, ensure_ascii=False)), "status": event.cache_status}
    return {**row, "age": event.age_s, "pages": event.pages, "patches": event.patches, "start": event.start or ""}
