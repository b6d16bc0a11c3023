"""Small files that browsers, robots and those who report a weakness request by fixed names."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from django.contrib.staticfiles import finders
from django.http import FileResponse, Http404, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from portal.config.current import portal_config

if TYPE_CHECKING:
    from django.http import HttpRequest

_DAY_S = 24 * 60 * 60
#: RFC 9116, section 2.5.5, recommends less than a year. The setting is read at each start, so it is no older than that.
_SECURITY_TXT_LIFETIME: Final = timedelta(days=90)


@csrf_exempt
@require_safe
@cache_control(public=True, max_age=_DAY_S)
def favicon(request: HttpRequest) -> FileResponse:  # noqa: ARG001  a view's signature
    """The app's icon, at the URL that browsers try by themselves."""
    icon = f"{portal_config().project.app}/icon.svg"
    path = finders.find(icon)
    if not isinstance(path, str):
        raise FileNotFoundError(icon)
    return FileResponse(open(path, "rb"), content_type="image/svg+xml")  # noqa: PTH123  the response closes it


@csrf_exempt
@require_safe
@cache_control(public=True, max_age=_DAY_S)
def robots(request: HttpRequest) -> HttpResponse:  # noqa: ARG001  a view's signature
    """Tells search engines to index nothing."""
    return HttpResponse("User-agent: *\nDisallow: /\n", content_type="text/plain; charset=utf-8")


@csrf_exempt
@require_safe
@cache_control(public=True, max_age=_DAY_S)
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
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
