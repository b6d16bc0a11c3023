"""GET /{locale}/help: what keys do, and whom to ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

if TYPE_CHECKING:
    from django.http import HttpResponse

    from portal.web.request import PortalRequest

#: Id of the element that htmx fills with the keys alone.
_KEYS: Final = "shortcuts-keys"


@require_safe
def help_page(request: PortalRequest) -> HttpResponse:
    """The page; for the dialog of the keys, the keys alone."""
    is_dialog = request.META.get("HTTP_HX_TARGET") == _KEYS and request.META.get("HTTP_HX_REQUEST") == "true"
    response = render(request, f"portal/pages/help.html{'#keys' if is_dialog else ''}")
    patch_vary_headers(response, ("HX-Request", "HX-Target"))
    return response
