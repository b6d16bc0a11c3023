"""GET /metrics: the server's counters in Prometheus' text format (contract, section 6)."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

from django.http import HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from portal.config.current import portal_config
from portal.web.client_address import client_address, is_loopback
from portal.web.errors import problem
from portal.web.metrics import server_families

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.http import HttpRequest

    from portal.web.metrics import Family

_FORMAT: Final = "text/plain; version=0.0.4; charset=utf-8"
_ESCAPED: Final = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


@csrf_exempt
@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """The counters: for this machine, and for a caller with the token from the environment. 403 for others."""
    if not (is_loopback(client_address(request)) or _has_token(request)):
        return problem(request, status=403, title="Forbidden")
    app = portal_config().project.app
    lines = [line for family in server_families(portal_config().counts_dir) for line in _lines(family, app=app)]
    return HttpResponse("\n".join(lines) + "\n", content_type=_FORMAT)


def _lines(family: Family, *, app: str) -> Iterator[str]:
    """The lines of one metric. Every value has the app as a label."""
    yield f"# HELP {family.name} {family.says}"
    yield f"# TYPE {family.name} {family.kind}"
    for labels, value in family.values:
        written = ",".join(f'{name}="{text.translate(_ESCAPED)}"' for name, text in {"app": app, **labels}.items())
        yield f"{family.name}{{{written}}} {value}"


def _has_token(request: HttpRequest) -> bool:
    expected = portal_config().metrics_token
    scheme, _, given = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    return (
        bool(expected)
        and scheme.lower() == "bearer"
        and secrets.compare_digest(given.strip().encode("utf-8", "replace"), expected.encode())
    )
