"""Sign-in through the OpenID provider (contract, sections 3 and 6): to it, back from it, and out by it."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING

from django.http import JsonResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from portal.config.current import portal_config
from portal.web.errors.failure_pages import page_not_found
from portal.web.frame.shell import active_locale
from portal.web.oidc.attempts import (
    forget_attempt,
    forget_stale_attempts,
    keep_attempt,
    new_attempt,
)
from portal.web.oidc.failures import ProviderFailure
from portal.web.oidc.provider_sign_in import authorization_url, find_callback_attempt, sign_in_from_callback
from portal.web.oidc.provider_sign_out import accept_logout_token
from portal.web.pages import see_other

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpResponse

    from portal.web import PortalRequest


def only_with_provider(view: Callable[[PortalRequest], HttpResponse]) -> Callable[[PortalRequest], HttpResponse]:
    """The view where an OpenID provider signs people in; elsewhere nothing stands at its address, in `DEBUG` too."""

    @wraps(view)
    def found(request: PortalRequest) -> HttpResponse:
        return view(request) if portal_config().oidc.enabled else page_not_found(request)

    return found


@only_with_provider
@require_safe
def to_provider(request: PortalRequest) -> HttpResponse:
    """Begin an attempt, and send the browser to the provider."""
    attempt = new_attempt(wanted=request.GET.get("next", ""), locale=active_locale())
    url = authorization_url(attempt)
    if isinstance(url, ProviderFailure):
        return _failure_page(request, url)
    response = redirect(url)
    forget_stale_attempts(request, response)
    keep_attempt(response, attempt)
    return response


@only_with_provider
@require_safe
@cache_control(private=True, no_store=True)
def from_provider(request: PortalRequest) -> HttpResponse:
    """End an attempt: signed in, or a page that says why not. Each attempt ends once."""
    attempt = find_callback_attempt(request)
    with translation.override(attempt.locale if attempt else active_locale()):
        outcome = sign_in_from_callback(request, attempt)
        response = _failure_page(request, outcome) if isinstance(outcome, ProviderFailure) else see_other(outcome.url)
    if attempt is not None:
        forget_attempt(response, state=attempt.state)
    return response


@csrf_exempt  # the provider calls, not a browser; the token that it brings is signed
@only_with_provider
@require_POST
def backchannel_logout(request: PortalRequest) -> HttpResponse:
    """The provider says that somebody signed out there (Back-Channel Logout 1.0, section 2.8)."""
    if accept_logout_token(request.POST.get("logout_token", "")):
        response = JsonResponse({})
    else:
        response = JsonResponse({"error": "invalid_request"}, status=400)
    response["Cache-Control"] = "no-store"
    return response


def _failure_page(request: PortalRequest, failure: ProviderFailure) -> HttpResponse:
    response = render(request, "auth_app/oidc_failure.html", {"failure": failure}, status=failure.status)
    if failure.retry_after is not None:
        response["Retry-After"] = str(failure.retry_after)
    return response
