"""GET /{locale}/search: the search over everything, as a page, and for the palette of the shell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from portal.web.request import search_text
from portal_pages.search.found import search_everything

if TYPE_CHECKING:
    from django.http import HttpResponse

    from portal.web.request import PortalRequest

#: Id of the element that htmx fills, and what it gets.
_FRAGMENTS: Final = {
    "found": "portal/pages/search.html#found",
    "palette-found": "portal/parts/palette_found.html",
}


@require_safe
def search(request: PortalRequest) -> HttpResponse:
    """What was found for `q`; a form for it alone without one.

    :raises portal.errors.ApiError: nothing could be searched.
    """
    found = search_everything(request, search_text(request.GET.get("q", "")))
    target = request.META.get("HTTP_HX_TARGET", "") if request.META.get("HTTP_HX_REQUEST") == "true" else ""
    context = {"found": found, "is_fragment": target in _FRAGMENTS}
    response = render(request, _FRAGMENTS.get(target, "portal/pages/search.html"), context)
    patch_vary_headers(response, ("HX-Request", "HX-Target"))
    return response
