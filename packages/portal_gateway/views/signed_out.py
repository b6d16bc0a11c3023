"""The page after a sign-out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.views.decorators.http import require_safe

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@require_safe
def signed_out(request: HttpRequest) -> HttpResponse:
    """Say which sign-ins have ended, and offer to sign in again."""
    return render(request, "auth_app/signed_out.html", {"everywhere": "everywhere" in request.GET})
