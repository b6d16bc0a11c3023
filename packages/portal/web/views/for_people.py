"""The small views of every app that people and the scripts of their pages ask for (contract, sections 5 and 6)."""

from typing import Final
from urllib.parse import quote

from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from portal.api import api_session, identity_provider
from portal.config.cookies import INTRODUCED, VAR_SELECTED_LOCALE, VAR_THEME
from portal.config.current import portal_config
from portal.config.limits import NEXT_MAX_CHARS
from portal.config.locales import DEFAULT_LOCALE, LOCALES
from portal.edge import LOGIN_PATH, accept_target, with_locale
from portal.errors import ApiUnavailableError
from portal.services.user import UserQueries
from portal.web.context_processors import render_kept
from portal.web.errors import login_url, problem, redirect_htmx, render_failure
from portal.web.frame import account_tag_of, navigation_entries, shell_for, use_app_essentials
from portal.web.preferences import THEMES, own_cookie, write_preference
from portal.web.request import PortalRequest, active_locale, is_signed_in
from portal.web.sign_in import sign_out_response
from portal.web.submissions import see_other
from portal.web.templating import own_or_default


@require_http_methods(["GET", "HEAD", "POST"])
def logout(request: PortalRequest) -> HttpResponse:
    """Ask, or sign out of all apps in this browser and redirect to the gateway's page.

    Works also for a sign-in that the backend no longer accepts.
    """
    if request.method != "POST":
        return render(request, "portal/pages/logout.html")
    return sign_out_response(request)


@require_safe
def login_redirect(request: PortalRequest) -> HttpResponse:
    """Redirect to the gateway's sign-in page, with `next` as an absolute URL if it is a page of ours."""
    config = portal_config()
    target = accept_target(request.GET.get("next"), own_origin=config.own_origin, origins=config.origins.values())
    if target is not None and target.startswith("/"):
        target = config.own_origin + target
    login_url = shell_for(request).login_url
    if target is None or len(target) > NEXT_MAX_CHARS:
        return redirect(login_url)
    return redirect(f"{login_url}?next={quote(target, safe='')}")


@csrf_exempt
@require_safe
@cache_control(private=True, no_store=True)
def sign_in_state(request: PortalRequest) -> JsonResponse:
    """`{"signedIn", "account"}` from the cookies and the store. Nothing is refreshed, and the backend is not called.

    If the sign-in was signed out, or an OpenID provider has ended it, the cookies are removed.
    """
    user = request.edge_user
    if user.unverifiable:
        raise ApiUnavailableError("the keys of tokens are not at hand")
    if user.signed_in and _has_ended(request):
        request.token_store.clear()
        return JsonResponse({"signedIn": False, "account": None})
    return JsonResponse({"signedIn": user.signed_in, "account": account_tag_of(user)})


def _has_ended(request: PortalRequest) -> bool:
    pair, provider = request.token_store.current, identity_provider()
    if api_session().refresher.signed_out_at(pair) is not None:
        return True
    return provider is not None and provider.has_ended(pair)


@require_safe
def essentials(request: PortalRequest) -> HttpResponse:
    """The user's part of the shell, as a fragment of a page.

    401 without a sign-in, or if the backend rejects it; 503 while the backend does not answer.
    """
    if request.edge_user.unverifiable:
        raise ApiUnavailableError("the keys of tokens are not at hand")
    if not is_signed_in(request):
        response = problem(request, status=401, title=_("Please sign in again"))
        return redirect_htmx(request, response, url=login_url(request))
    if use_app_essentials(request) is None:
        # The request has its own cache: this reads the error again without a second call.
        reason = UserQueries.use_get_me_query(request).error
        return render_failure(request, reason or ApiUnavailableError())
    return render(request, "portal/parts/essentials.html")


#: Id of the element that htmx fills with the keys alone.
_KEYS: Final = "shortcuts-keys"


@require_http_methods(["GET", "HEAD", "POST"])
def help_page(request: PortalRequest) -> HttpResponse:
    """The page; for the dialog of the keys, the keys alone. A POST says that the app's introduction has been read."""
    if request.method == "POST":
        response = see_other(shell_for(request).home_url)
        write_preference(response, own_cookie(INTRODUCED), "1", is_own=True)
        return response
    is_dialog = request.META.get("HTTP_HX_TARGET") == _KEYS and request.META.get("HTTP_HX_REQUEST") == "true"
    project, entries = portal_config().project, navigation_entries()
    template = own_or_default(f"{project.app}/help.html", "portal/pages/help.html")
    # The gateway's list is for administrators.
    example = reverse(entries[0].route) if entries and project.platform and not is_dialog else ""
    name, key = (f"{template}#keys", None) if is_dialog else (template, ("help",))
    response = render_kept(request, name, lambda: {"example": example}, key=key)
    patch_vary_headers(response, ("HX-Request", "HX-Target"))
    return response


@require_POST
def switch_locale(request: PortalRequest) -> HttpResponse:
    """Store the language in its cookie, and redirect to the page in that language. An unknown language is ignored.

    The palette sends a theme with it, as the profile does elsewhere.
    """
    config = portal_config()
    wanted = request.POST.get("locale", "")
    locale = wanted if wanted in LOCALES else active_locale()
    target = accept_target(
        request.POST.get("next"),
        own_origin=config.own_origin,
        origins=config.origins.values(),
        open_pages=True,
    )
    response = see_other(with_locale(target or _fallback(request), locale=locale))
    if wanted in LOCALES:
        write_preference(response, VAR_SELECTED_LOCALE, wanted)
    if (theme := request.POST.get("theme")) in {"", *THEMES}:
        write_preference(response, VAR_THEME, theme or None)
    return response


def _fallback(request: PortalRequest) -> str:
    """The default home, or the sign-in page without a sign-in."""
    user = request.edge_user
    return user.home_url if user.signed_in else f"{portal_config().gateway_url}/{DEFAULT_LOCALE}{LOGIN_PATH}"
