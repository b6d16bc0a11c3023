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
from portal.store.aliases import query_store, refresh_store
from portal.web.client_address import client_address, is_loopback
from portal.web.problems import problem

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        *_store_sizes(app),
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type=_FORMAT)


def _store_sizes(app: str) -> Iterator[str]:
    """How full the stores are: from a moment ago, and nothing of one that does not answer or does not tell."""
    sizes = {store.alias: store.size() for store in (query_store(), refresh_store())}
    used = {alias: size.used for alias, size in sizes.items() if size is not None}
    limits = {alias: size.limit for alias, size in sizes.items() if size is not None and size.limit is not None}
    for name, says, values in (
        ("portal_store_used_bytes", "Bytes in use in the shared store.", used),
        ("portal_store_limit_bytes", "Bytes that the shared store may use, where it has a limit.", limits),
    ):
        yield f"# HELP {name} {says}"
        yield f"# TYPE {name} gauge"
        for alias, value in values.items():
            yield f'{name}{{app="{app}",store="{alias}"}} {value}'


def _has_token(request: HttpRequest) -> bool:
    expected = portal_config().metrics_token
    scheme, _, given = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    return (
        bool(expected)
        and scheme.lower() == "bearer"
        and secrets.compare_digest(given.strip().encode("utf-8", "replace"), expected.encode())
    )
