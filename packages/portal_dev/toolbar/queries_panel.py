"""The panel of django-debug-toolbar that shows what a request did: queries, mutations, backend calls, the edge.

It exists where `APP_DEBUG_TOOLBAR` is on, in `DEBUG` only. It shows the events that the request's `QueryClient`
keeps in any case, and the log lines of the backend calls.

A form's request is answered with a redirect, and so has no page. The page that the browser then asks for shows it, too.
"""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit

from debug_toolbar.decorators import require_show_toolbar
from debug_toolbar.panels import Panel
from django.conf import settings
from django.http import HttpResponseBadRequest, HttpResponseRedirect
from django.middleware.csrf import get_token
from django.urls import path
from django.views.decorators.http import require_POST

from portal.config.current import portal_config
from portal.config.limits import MAX_PAGES
from portal.edge import RequestContext, explain
from portal.errors import UsageError
from portal.identity import TokenCache, make_token_cache
from portal.query import REGISTRY, QueryClient, client_of
from portal.rows import replace_surrogates
from portal_dev.toolbar.timeline import RECORDER, record_calls, timeline

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse
    from django.urls import URLPattern

    from portal.query import QueryEvent
    from portal.web import PortalRequest


HTTP_SEE_OTHER = 303


@require_POST
@require_show_toolbar  # type: ignore[untyped-decorator]  # the toolbar's own has no types
def refetch_query(request: HttpRequest) -> HttpResponse:
    """Fetch one query from the backend, even if it is fresh."""
    hook: Any = REGISTRY.queries.get(request.POST.get("endpoint", ""))
    try:
        params = json.loads(request.POST.get("params", ""))
        pages = int(request.POST.get("pages", "1"))
    except (ValueError, RecursionError):
        return HttpResponseBadRequest("params should be JSON, and pages a number")
    if hook is None:
        return HttpResponseBadRequest("no such query")
    try:
        if hook.is_list:
            pages, cursor = max(1, min(pages, MAX_PAGES)), request.POST.get("start") or None
            client_of(request).paginated(hook.spec(params).query, pages=pages, cursor=cursor, force=True)
        else:
            client_of(request).query(hook.spec(params).query, force=True)
    except UsageError as error:
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
    response = HttpResponseRedirect(f"{path}?{parts.query}" if parts.query else path)
    response.status_code = HTTP_SEE_OTHER
    return response


def edge_facts(request: PortalRequest) -> dict[str, Any]:
    """What the edge saw, and the rules that it asked, in their order; the last one decided."""
    tokens = request.token_store.incoming
    access = _tokens().check(tokens.access, now=time.time())
    context = RequestContext.from_request(request, tokens=tokens, site=request.edge_site, access=access)
    seen, steps, decision = explain(context)
    return {"seen": seen, "steps": [step._asdict() for step in steps], "rule": decision.rule}


@cache
def _tokens() -> TokenCache:
    return make_token_cache(portal_config())


#: Redirects whose pages have not been asked for, and requests that a page shows before its own: the latest ones.
MAX_REDIRECTS: Final = 20
MAX_BEFORE: Final = 3
#: The kinds of a timeline's rows: one of them, and more.
ROW_KINDS: Final = (("query", "queries"), ("mutation", "mutations"), ("call", "calls"))
#: A browser and the address to which it was redirected, to the toolbar's id of that request.
_redirects: OrderedDict[tuple[str, str], str] = OrderedDict()


class QueriesPanel(Panel):
    """Queries with their cache status, mutations, backend calls, a timeline, tokens, and the edge's decision."""

    # The toolbar has properties here, and reads attributes as well.
    title = "Queries"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    template = "portal_dev/queries.html"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    began_s: float

    @property
    def nav_subtitle(self) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]  # its own is an empty text
        """How many queries, mutations and calls there were, also in the requests that led here."""
        stats = self.get_stats()  # type: ignore[no-untyped-call]  # the toolbar's own has no types
        kinds = [row["kind"] for request in stats.get("requests", ()) for row in request["rows"]]
        counts = {name: kinds.count(name[0]) for name in ROW_KINDS}
        return ", ".join(f"{count} {name[count > 1]}" for name, count in counts.items() if count)

    @classmethod
    def ready(cls) -> None:
        """Record the backend calls of all requests with this panel."""
        record_calls()

    @classmethod
    def get_urls(cls) -> list[URLPattern]:
        """Addresses of the buttons."""
        return [
            path("queries/refetch/", refetch_query, name="portal_refetch_query"),
            path("queries/clear/", clear_queries, name="portal_clear_queries"),
        ]

    def process_request(self, request: HttpRequest) -> HttpResponse:
        """Record what happens from here on."""
        self.began_s = time.perf_counter()
        RECORDER.begin(cast("PortalRequest", request).request_id)
        response: HttpResponse = super().process_request(request)  # type: ignore[no-untyped-call]  # as above
        return response

    def generate_stats(self, request: HttpRequest, response: HttpResponse) -> None:
        """Keep what the request did, for the template."""
        request, ended_s = cast("PortalRequest", request), time.perf_counter()
        client = getattr(request, "query_client", None)
        events = client.events if isinstance(client, QueryClient) else []
        mutations = client.mutations if isinstance(client, QueryClient) else []
        calls = RECORDER.end(request.request_id)
        this_request = {
            "method": request.method,
            "path": request.get_full_path(),
            "status": response.status_code,
            "milliseconds": (ended_s - self.began_s) * 1000,
            "rows": timeline([*events, *mutations], calls, began_s=self.began_s, ended_s=ended_s),
        }
        self.record_stats(  # type: ignore[no-untyped-call]  # as above
            {
                "requests": [*self._requests_before(request), this_request],
                "queries": [_query(event) for event in events],
                "tokens": request.token_store.status.value,
                "backend": portal_config().api_base_url,
                "edge": edge_facts(request),
                "csrf_token": get_token(request),
                "back": request.get_full_path(),
            }
        )
        self._note_redirect(request, response)

    def _note_redirect(self, request: PortalRequest, response: HttpResponse) -> None:
        """Remember this request for the page to which it leads."""
        browser, target = _browser(request), response.headers.get("Location")
        if browser is not None and target is not None:
            _redirects[browser, target] = self.toolbar.request_id
            while len(_redirects) > MAX_REDIRECTS:
                _redirects.popitem(last=False)

    def _requests_before(self, request: PortalRequest) -> list[dict[str, Any]]:
        """The requests that led this browser here by redirects; the oldest first."""
        browser = _browser(request)
        before = None if browser is None else _redirects.pop((browser, request.get_full_path()), None)
        stats = self.toolbar.store.panel(before, self.panel_id) if before else {}
        return list(stats.get("requests", []))[-MAX_BEFORE:]


def _browser(request: HttpRequest) -> str | None:
    """What a browser that has sent a form always has: the cookie of Django's CSRF protection."""
    return request.COOKIES.get(settings.CSRF_COOKIE_NAME)


def _query(event: QueryEvent) -> dict[str, Any]:
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
