"""The panel of django-debug-toolbar with the queries and mutations of a request, and their outcomes.

It exists where `APP_DEBUG_TOOLBAR` is on, in `DEBUG` only. It shows the events that the request's `QueryClient`
keeps in any case.

A form's request is answered with a redirect, and so has no page. The page that the browser then asks for shows it, too.
"""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import urlsplit

from debug_toolbar.decorators import require_show_toolbar
from debug_toolbar.panels import Panel
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, HttpResponseRedirect
from django.middleware.csrf import get_token
from django.urls import URLPattern, path
from django.views.decorators.http import require_POST

from portal.config.limits import MAX_PAGES
from portal.errors import UsageError
from portal.query import REGISTRY, MutationEvent, QueryClient, QueryEvent, client_of
from portal.rows import replace_surrogates

#: Redirects whose pages have not been asked for: the latest ones.
MAX_REDIRECTS: Final = 20
#: A browser and the address to which it was redirected, to the toolbar's id of that request.
_redirects: dict[tuple[str, str], str] = {}


@require_POST
@require_show_toolbar  # type: ignore[untyped-decorator]  # the toolbar's own has no types
def refetch_query(request: HttpRequest) -> HttpResponse:
    """Fetch one query from the backend, even if it is fresh."""
    hook: Any = REGISTRY.queries.get(request.POST.get("endpoint", ""))
    try:
        query = hook and hook.spec(json.loads(request.POST.get("params", ""))).query
        pages, cursor = int(request.POST.get("pages", "1")), request.POST.get("start") or None
        if hook is None:
            return HttpResponseBadRequest("no such query")
        if hook.is_list:
            client_of(request).paginated(query, pages=max(1, min(pages, MAX_PAGES)), cursor=cursor, force=True)
        else:
            client_of(request).query(query, force=True)
    except (ValueError, RecursionError, UsageError) as error:
        return HttpResponseBadRequest(str(error), content_type="text/plain; charset=utf-8")
    return _back(request)


@require_POST
@require_show_toolbar  # type: ignore[untyped-decorator]  # the toolbar's own has no types
def clear_queries(request: HttpRequest) -> HttpResponse:
    """Drop all cached data of this user."""
    client_of(request).purge()
    return _back(request)


def _back(request: HttpRequest) -> HttpResponse:
    """Redirect to the page, by its path only: the form's field must not lead to another host."""
    try:
        parts = urlsplit(request.POST.get("back", ""))
    except ValueError:
        return HttpResponseBadRequest("back should be an address")
    path = "/" + parts.path.lstrip("/\\")
    response = HttpResponseRedirect(f"{path}?{parts.query}".removesuffix("?"))
    response.status_code = 303
    return response


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

    @classmethod
    def get_urls(cls) -> list[URLPattern]:
        """Return the addresses of the buttons."""
        return [
            path("queries/refetch/", refetch_query, name="portal_refetch_query"),
            path("queries/clear/", clear_queries, name="portal_clear_queries"),
        ]

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
        self.record_stats(  # type: ignore[no-untyped-call]  # as above
            {"requests": requests, "csrf_token": get_token(request), "back": address}
        )
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
    row |= {"age": event.age_s, "pages": event.pages, "patches": event.patches}
    return {**row, "endpoint": event.endpoint, "params": json.dumps(event.key[1]), "start": event.start or ""}
