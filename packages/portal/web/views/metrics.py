"""GET /metrics: the server's metrics in Prometheus' text format (contract, section 6)."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from portal.config.current import portal_config
from portal.telemetry.metrics import CONTENT_TYPE, metrics_text
from portal.web.client_address import client_address, is_loopback
from portal.web.errors import problem

if TYPE_CHECKING:
    from django.http import HttpRequest


@csrf_exempt
@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """The metrics: for this machine, and for a caller with the token from the environment. 403 for others."""
    # Behind a proxy the address is what the caller may have written, if it has come to this port past the proxy.
    from_here = is_loopback(client_address(request)) and is_loopback(request.META.get("REMOTE_ADDR", ""))
    if not (from_here or _has_token(request)):
        return problem(request, status=403, title="Forbidden")
    text = metrics_text(app=portal_config().project.app)
    return HttpResponse(text, content_type=CONTENT_TYPE)


def _has_token(request: HttpRequest) -> bool:
    expected = portal_config().metrics_token
    scheme, _, given = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    return (
        bool(expected)
        and scheme.lower() == "bearer"
        and secrets.compare_digest(given.strip().encode("utf-8", "replace"), expected.encode())
    )
