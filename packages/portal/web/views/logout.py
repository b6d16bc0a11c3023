"""Sign-out: a confirmation on GET, the deed on POST (contract, section 6)."""

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
    """Ask, or sign out everywhere in this browser and say so on the gateway's page.

    Also works for a sign-in that the backend no longer accepts: what it answers does not matter here.
    """
    if request.method != "POST":
        return render(request, "portal/pages/logout.html")
    return sign_out_response(request)
