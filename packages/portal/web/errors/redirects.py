"""Where a user who can't have the page is led: to the sign-in page, or to the default home (contract, section 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from portal.edge import is_htmx, login_url_from, navigation_headers
from portal.web.request import is_page_navigation

if TYPE_CHECKING:
    from django.http import HttpResponse

    from portal.web.request import PortalRequest


#: The parameter of the sign-in page's address that says why the user was led there.
REASON_PARAM: Final = "reason"
#: Its value after a refresh whose outcome is unknown, and whose refresh token may not be sent again.
RENEWAL_LOST: Final = "renewal-lost"


def login_url(request: PortalRequest, *, reason: str) -> str:
    """The sign-in page, with the reason, and with the page to return to as `next`.

    That is the page that was asked for. For a form or htmx, it is the page that sent the request.

    :param reason: one that the sign-in page knows.
    """
    meta = request.META
    if not is_page_navigation(request):
        back = meta.get("HTTP_HX_CURRENT_URL")
    else:
        back = request.get_full_path() if request.method in {"GET", "HEAD"} else meta.get("HTTP_REFERER")
    url = login_url_from(request.edge_site, locale=request.edge_user.locale, current_url=back)
    return f"{url}{'&' if '?' in url else '?'}{urlencode({REASON_PARAM: reason})}"


def redirect_htmx_to_login(request: PortalRequest, response: HttpResponse) -> HttpResponse:
    """Have htmx open the sign-in page, with the page that htmx stands on as `next`."""
    if is_htmx(navigation_headers(request.META)):
        current_url = request.META.get("HTTP_HX_CURRENT_URL")
        response["HX-Redirect"] = login_url_from(
            request.edge_site, locale=request.edge_user.locale, current_url=current_url
        )
    return response


def redirect_htmx_home(request: PortalRequest, response: HttpResponse) -> HttpResponse:
    """Have htmx open the default home."""
    if is_htmx(navigation_headers(request.META)):
        response["HX-Redirect"] = request.edge_user.home_url
    return response
