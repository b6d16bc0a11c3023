"""Probes for whoever watches the process: alive, ready."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from portal.errors import StoreUnavailableError
from portal.store import check_readiness
from portal.web.errors import explain_failure

if TYPE_CHECKING:
    from django.http import HttpRequest

_TEXT = "text/plain; charset=utf-8"


@csrf_exempt
@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001  a view's signature
    """The process runs. Neither the backend nor the store is called."""
    return HttpResponse("ok\n", content_type=_TEXT)


@csrf_exempt
@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """The stores take writes too: without them no sign-in can be refreshed.

    The backend is not called: while it is down, the pages say so, and another process could not do better.
    """
    try:
        check_readiness()
    except StoreUnavailableError as error:
        explain_failure(request, error, status=503)
        response = HttpResponse("the store does not answer, or takes no writes\n", status=503, content_type=_TEXT)
        response["Retry-After"] = "1"
        return response
    return HttpResponse("ok\n", content_type=_TEXT)
