"""Two small files that browsers and robots request by fixed names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.staticfiles import finders
from django.http import FileResponse, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from portal.config.current import portal_config

if TYPE_CHECKING:
    from django.http import HttpRequest

_DAY_S = 24 * 60 * 60


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
