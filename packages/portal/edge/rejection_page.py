"""The URLs of a request that the edge rejected, and whose rejection a person should see as a page.

The middleware sets `request.urlconf` to this module: the request then passes the inner middleware like any
other, so the page has its CSRF token and its headers, but one view stands before all others and shows the
project's own error page. The project's patterns follow it only so that its links can be reversed.
"""

from collections.abc import Callable
from typing import cast

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import get_resolver, re_path
from django.views.decorators.csrf import csrf_exempt

_REASONS: dict[int, type[Exception]] = {403: PermissionDenied, 404: Http404}


@csrf_exempt
def reject(request: HttpRequest) -> HttpResponseBase:
    """Render the project's error page for the status in `request.edge_rejection`."""
    status: int = request.edge_rejection  # type: ignore[attr-defined]  # set by the middleware with the urlconf
    handler = cast("Callable[..., HttpResponseBase]", get_resolver().resolve_error_handler(status))
    return handler(request, exception=_REASONS[status]())


urlpatterns = [re_path(r"", reject), *get_resolver().url_patterns]
