"""POST /locale: the language switch (contract, section 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.views.decorators.http import require_POST

from portal.config.cookies import VAR_SELECTED_LOCALE
from portal.config.current import portal_config
from portal.config.locales import DEFAULT_LOCALE, LOCALES
from portal.edge import LOGIN_PATH, accept_target, with_locale
from portal.web.preferences import write_preference
from portal.web.request import active_locale
from portal.web.submissions import see_other

if TYPE_CHECKING:
    from django.http import HttpResponse

    from portal.web.request import PortalRequest


@require_POST
def switch_locale(request: PortalRequest) -> HttpResponse:
    """Store the language in its cookie, and redirect to the page in that language. An unknown language is ignored."""
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
    return response


def _fallback(request: PortalRequest) -> str:
    """The default home, or the sign-in page without a sign-in."""
    user = request.edge_user
    return user.home_url if user.signed_in else f"{portal_config().gateway_url}/{DEFAULT_LOCALE}{LOGIN_PATH}"
