"""The buttons of the queries panel: each acts for the signed-in user, and redirects back to the page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from debug_toolbar.decorators import require_show_toolbar
from django.http import HttpResponseBadRequest, HttpResponseRedirect
from django.views.decorators.http import require_POST

from portal.config.limits import MAX_PAGES
from portal.errors import UsageError
from portal.query import REGISTRY, client_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

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
