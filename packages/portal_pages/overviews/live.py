"""The part of an overview that renews itself while it is seen: `portal/js/live.js` asks for it every half a minute.

How often the backend is asked does not depend on that: a live query has a short fresh time, and its answers are in the
cache that all tabs of the user share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from portal.web.guards import platform_page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from django.http import HttpRequest, HttpResponse
    from django.urls import URLPattern


def live_part(
    route: str, template: str, context: Callable[[HttpRequest], Mapping[str, Any]], *, name: str, page: str = "home"
) -> URLPattern:
    """The URL of an overview's block `live` alone. Who opens it as a page gets the overview.

    :param template: the overview's; its block `live` is what renews itself.
    :param context: reads what that block shows.
    :param page: name of the overview's URL.
    """

    @require_safe
    def part(request: HttpRequest) -> HttpResponse:
        if "HX-Request" not in request.headers:
            return redirect(page)
        return render(request, f"{template}#live", dict(context(request)))

    return platform_page(route, part, name=name)
