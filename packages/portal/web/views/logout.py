"""Sign-out: GET asks, POST signs out (contract, section 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from portal.web.sign_in import sign_out_response

if TYPE_CHECKING:
    from django.http import HttpResponse

    from portal.web.request import PortalRequest


@require_http_methods(["GET", "HEAD", "POST"])
def logout(request: PortalRequest) -> HttpResponse:
    """Ask, or sign out of all apps in this browser and redirect to the gateway's page.

    Works also for a sign-in that the backend no longer accepts.
    """
    if request.method != "POST":
        return render(request, "portal/pages/logout.html")
    return sign_out_response(request)
