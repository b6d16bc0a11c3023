"""The page after a sign-out."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def signed_out(request: HttpRequest) -> HttpResponse:
    """Say which sign-ins have ended, and offer to sign in again."""
    return render(request, "auth_app/signed_out.html", {"everywhere": "everywhere" in request.GET})
