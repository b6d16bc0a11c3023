"""GET /metrics: this process's counters in Prometheus' text format (contract, section 6)."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from portal.api.counters import refresh_counters
from portal.config.runtime import portal_config
from portal.web.client_address import client_address, is_loopback
from portal.web.problems import problem

if TYPE_CHECKING:
    from django.http import HttpRequest

_FORMAT = "text/plain; version=0.0.4; charset=utf-8"


@csrf_exempt
@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """For this machine, and for whoever holds the token from the environment; nobody else learns anything."""
    if not (is_loopback(client_address(request)) or _has_token(request)):
        return problem(request, status=403, title="Forbidden")
    app = portal_config().project.app
    lines = [
        "# HELP portal_refresh_total Needs for fresh tokens in this process, by what they came to.",
        "# TYPE portal_refresh_total counter",
        *(
            f'portal_refresh_total{{app="{app}",outcome="{outcome.value}"}} {count}'
            for outcome, count in refresh_counters().snapshot().items()
        ),
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type=_FORMAT)


def _has_token(request: HttpRequest) -> bool:
    expected = portal_config().metrics_token
    scheme, _, given = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    return (
        bool(expected)
        and scheme.lower() == "bearer"
        and secrets.compare_digest(given.strip().encode("utf-8", "replace"), expected.encode())
    )
