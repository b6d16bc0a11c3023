"""The page after sign-out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.views.decorators.http import require_safe

from portal.web import is_signed_in
from portal.web.oidc.attempts import forget_stale_attempts

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@require_safe
def signed_out(request: HttpRequest) -> HttpResponse:
    """Say so, and offer to sign in again. What the browser began at an OpenID provider goes with the sign-in."""
    response = render(request, "auth_app/signed_out.html")
    if not is_signed_in(request):
        forget_stale_attempts(request, response, keep=0)
    return response
