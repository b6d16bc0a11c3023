"""The pages of a sign-in through the OpenID provider (contract, sections 3 and 6). Loaded only with a provider."""

from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_POST, require_safe

import portal_oidc
from portal.web import PortalRequest, active_locale, is_signed_in, see_other
from portal.web.sign_in import explain, reason_of, wanted_of
from portal_gateway.views import signed_out as signed_out_page


@require_http_methods(["GET", "HEAD", "POST"])
def login(request: PortalRequest) -> HttpResponse:
    """The sign-in page: a link to the provider. A password form that is sent here signs nobody in."""
    if request.method == "POST":
        return see_other("login")
    context = {"wanted": wanted_of(request), "reason": explain(reason_of(request))}
    response = render(request, "auth_app/oidc_login.html", context)
    portal_oidc.delete_stale_attempts(request, response)
    return response


@require_safe
def start(request: PortalRequest) -> HttpResponse:
    """Start an attempt, and send the browser to the provider."""
    attempt = portal_oidc.new_login_attempt(wanted=request.GET.get("next", ""), locale=active_locale())
    url = portal_oidc.authorization_url(attempt)
    if isinstance(url, portal_oidc.ProviderFailure):
        return _failure_page(request, url)
    response = redirect(url)
    portal_oidc.delete_stale_attempts(request, response)
    portal_oidc.set_attempt_cookie(response, attempt)
    return response


@require_safe
@cache_control(private=True, no_store=True)
def callback(request: PortalRequest) -> HttpResponse:
    """End the attempt: signed in, or a page that says why not."""
    attempt = portal_oidc.find_login_attempt(request)
    with translation.override(attempt.locale if attempt else active_locale()):
        result = portal_oidc.sign_in_from_callback(request, attempt)
        response = (
            _failure_page(request, result) if isinstance(result, portal_oidc.ProviderFailure) else see_other(result)
        )
    if attempt is not None:
        portal_oidc.delete_attempt_cookie(response, attempt)
    return response


@require_safe
def signed_out(request: PortalRequest) -> HttpResponse:
    """The signed-out page, which also ends all attempts of this browser."""
    response = signed_out_page.signed_out(request)
    if not is_signed_in(request):
        portal_oidc.delete_stale_attempts(request, response, keep=0)
    return response


@require_POST
def backchannel_logout(request: PortalRequest) -> HttpResponse:
    """The provider reports a sign-out (Back-Channel Logout 1.0, section 2.8)."""
    if portal_oidc.accept_logout_token(request.POST.get("logout_token", "")):
        response = JsonResponse({})
    else:
        response = JsonResponse({"error": "invalid_request"}, status=400)
    response["Cache-Control"] = "no-store"
    return response


def _failure_page(request: PortalRequest, failure: portal_oidc.ProviderFailure) -> HttpResponse:
    response = render(request, "auth_app/oidc_failure.html", {"failure": failure}, status=failure.status)
    if failure.retry_after is not None:
        response["Retry-After"] = str(failure.retry_after)
    return response
