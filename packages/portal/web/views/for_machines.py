"""The views that supervisors, robots, browsers and those who report a weakness request by fixed names."""

import secrets
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final, TypeVar

from django.contrib.staticfiles import finders
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from portal.config.current import portal_config
from portal.errors import StoreUnavailableError
from portal.store import check_readiness
from portal.telemetry.metrics import CONTENT_TYPE, metrics_text
from portal.web.errors import explain_failure, problem
from portal.web.request import client_address, is_loopback

_TEXT: Final = "text/plain; charset=utf-8"
TView = TypeVar("TView", bound="Callable[..., HttpResponseBase]")

_KEPT_FOR_A_DAY: Final = cache_control(public=True, max_age=24 * 60 * 60)


def _for_machines(cached: Callable[[Any], Any]) -> Callable[[TView], TView]:
    """A view that is only read, by what has no CSRF token.

    :param cached: says how long its response is kept.
    """

    def decorated(view: Any) -> Any:
        return csrf_exempt(require_safe(cached(view)))

    return decorated


@_for_machines(never_cache)
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


#: RFC 9116, section 2.5.5, recommends less than a year. The setting is read at each start, so it is no older than that.
_SECURITY_TXT_LIFETIME: Final = timedelta(days=90)


@_for_machines(_KEPT_FOR_A_DAY)
def favicon(request: HttpRequest) -> FileResponse:  # noqa: ARG001  a view's signature
    """The app's icon, at the URL that browsers try by themselves."""
    icon = f"{portal_config().project.app}/icon.svg"
    path = finders.find(icon)
    if not isinstance(path, str):
        raise FileNotFoundError(icon)
    return FileResponse(open(path, "rb"), content_type="image/svg+xml")  # noqa: PTH123  the response closes it


@_for_machines(_KEPT_FOR_A_DAY)
def robots(request: HttpRequest) -> HttpResponse:  # noqa: ARG001  a view's signature
    """Tells search engines to index nothing."""
    return HttpResponse("User-agent: *\nDisallow: /\n", content_type=_TEXT)


@_for_machines(_KEPT_FOR_A_DAY)
def security_txt(request: HttpRequest) -> HttpResponse:  # noqa: ARG001  a view's signature
    """Who takes reports of weaknesses (RFC 9116), from `APP_SECURITY_CONTACT`; 404 where it is unset."""
    config = portal_config()
    if not config.security_contacts:
        raise Http404
    today = datetime.combine(datetime.now(UTC), time.min, UTC)
    lines = [f"Contact: {contact}" for contact in config.security_contacts]
    lines.append(f"Expires: {(today + _SECURITY_TXT_LIFETIME).isoformat()}")
    if config.own_origin.startswith("https://"):
        lines.append(f"Canonical: {config.own_origin}/.well-known/security.txt")
    return HttpResponse("\n".join(lines) + "\n", content_type=_TEXT)


@_for_machines(never_cache)
def healthz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001  a view's signature
    """The process runs. Neither the backend nor the store is called."""
    return HttpResponse("ok\n", content_type=_TEXT)


@_for_machines(never_cache)
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
