"""The query client of one request, which the middleware makes when a view first uses `request.query_client`.

Whether the user reloads a page. What browsers send, and why this is the rule: docs/explanation/reload.md.

`Cache-Control` alone does not tell: Chromium sends it also for the page after a form's 303, and Firefox sends it with a
hard reload only. So a cookie helps. When the user leaves a page, `portal.js` writes the page's mark into the cookie for
some seconds: a request for that same page is a reload. Our own 303 writes into the cookie that the next page is no
reload.

Without scripts, a page's link to itself is known by its `Referer`.
"""

import re
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from portal.api import api_session
from portal.config.current import portal_config
from portal.query import QueryClient, create_query_client
from portal.web.preferences import remove_cookie, set_cookie
from portal.web.request import SAFE_METHODS, PortalRequest, client_address, is_page_navigation, is_signed_in

#: By whether cookies are `Secure`; `portal.js` has the names too. The second one a browser takes from this host alone.
LEFT_PAGE_COOKIE: Final = {False: "left_page", True: "__Host-left_page"}
#: Its value if the next page is no reload: it follows a form, or the user goes back to it.
NO_RELOAD: Final = "-"
#: Lifetime of that value, seconds. After a form's response the browser asks for the page at once.
NO_RELOAD_FOR_S: Final = 10
_SEE_OTHER: Final = 303
_REDIRECTS: Final = range(300, 400)
_32_BITS: Final = 0xFFFFFFFF


def user_reloads(request: HttpRequest) -> bool:
    """Whether this request asks again for the page that the user sees."""
    left = request.COOKIES.get(LEFT_PAGE_COOKIE[settings.CSRF_COOKIE_SECURE])
    if request.method not in SAFE_METHODS or left == NO_RELOAD:
        return False
    directives = {each.strip().lower() for each in request.META.get("HTTP_CACHE_CONTROL", "").split(",")}
    if directives.isdisjoint({"no-cache", "max-age=0"}):
        address = request.get_full_path()
        asks_again = left == mark_of(address) if left else _linked_from(request) == address
        if not asks_again:
            return False
    # Last, since most requests ask for another page.
    return is_page_navigation(request)


def mark_of(address: str) -> str:
    """The mark of a page's address. `portal.js` computes the same."""
    mark = 0
    for code in address.encode():
        mark = (mark * 31 + code) & _32_BITS
    return str(mark)


def note_form(request: HttpRequest, response: HttpResponseBase) -> None:
    """Set the cookie after a form's 303, so that the next page counts as no reload; remove it with that page."""
    name, status = LEFT_PAGE_COOKIE[settings.CSRF_COOKIE_SECURE], response.status_code
    if status == _SEE_OTHER and is_signed_in(request):
        # The next page is one of this app.
        set_cookie(response, name, NO_RELOAD, max_age=NO_RELOAD_FOR_S, scripts_read=True, is_own=True)
    elif request.COOKIES.get(name) == NO_RELOAD and is_page_navigation(request) and status not in _REDIRECTS:
        remove_cookie(response, name, is_own=True)


def _linked_from(request: HttpRequest) -> str | None:
    """Path and query of the page of this host that `Referer` names; None without one."""
    try:
        parts = urlsplit(request.META.get("HTTP_REFERER", ""))
    except ValueError:
        return None
    if not parts.netloc or parts.netloc != request.META.get("HTTP_HOST"):
        return None
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


#: A header can't carry these characters.
UNSENDABLE: Final = re.compile(r"[^\x20-\x7e]+")
USER_AGENT_MAX_CHARS: Final = 400


def query_client_for(request: PortalRequest) -> QueryClient:
    """The client that reads and writes with the request's tokens, within the request's time.

    Nothing of the browser's goes to the backend unless `APP_API_FORWARD_BROWSER` asks for it (contract, section 8).
    """
    forwards = portal_config().forwards_browser
    return create_query_client(
        tokens=request.token_store,
        api=api_session(),
        deadline=request.api_deadline,
        request_id=request.request_id,
        user_agent=read_user_agent(request.META.get("HTTP_USER_AGENT")) if forwards else None,
        client_address=read_address(client_address(request)) if forwards else None,
        reload=user_reloads(request),
    )


def read_user_agent(sent: str | None) -> str | None:
    """The browser's `User-Agent` without what a header of ours can't carry; None if nothing is left."""
    return "".join(UNSENDABLE.split(sent or ""))[:USER_AGENT_MAX_CHARS].strip() or None


def read_address(text: str) -> str | None:
    """An IP address in its usual form; None for any other text, which a header of ours must not carry."""
    try:
        return ip_address(text.partition("%")[0]).compressed
    except ValueError:
        return None
