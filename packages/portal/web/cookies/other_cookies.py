"""Cookies beside those of the tokens: the way back, drafts, a refused platform, and the name of the sign-in.

VAR_WAY_BACK: the end of a sign-in leads to `/`, and from there to the sign-in page, whose address then names neither
the reason nor the page (contract, section 8). The cookie tells both to the sign-in page. It is set where a sign-in
ends, and removed with the next one.

VAR_DRAFTS: a browser's tab keeps what was typed (`drafts.js`) for the account and for the name in this cookie. All
apps and all tabs share the cookie. So the sign-out, which removes it, ends all drafts; a sign-in that ends in another
way ends none.

`refused_platform`: the contract's redirect to the default home stays as it is (section 5, row 4); it may lead over
the gateway to another app. The page at its end says once which platform the user may not open. The cookie names a
platform and nothing else: any other value is ignored.

`sign_in_name`: what a browser keeps of a sign-in, such as the records that were opened last, it keeps under this
random name. Each sign-in has another one, also one of the same account after a sign-out from another device, of which
this browser was not told.
"""

import re
import secrets
from http import HTTPStatus
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from django.http import HttpRequest, HttpResponseBase

from portal.api import TokenPair
from portal.config.cookies import (
    DRAFTS_MAX_AGE_S,
    MAX_COOKIE_BYTES,
    REFUSED_PLATFORM,
    SIGN_IN_NAME,
    VAR_DRAFTS,
    VAR_WAY_BACK,
    WAY_BACK_MAX_AGE_S,
)
from portal.config.current import portal_config
from portal.config.platforms import TPlatform
from portal.edge import accept_target
from portal.web.cookies.token_cookies import set_sign_in_cookie
from portal.web.preferences import remove_cookie, set_cookie
from portal.web.request import PortalRequest, is_page_navigation

_NAME_BYTES: Final = 9
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{12}")


def keep_drafts(request: HttpRequest, response: HttpResponseBase) -> None:
    """Let the browser keep drafts from now on, if it does not yet."""
    known = request.COOKIES.get(VAR_DRAFTS, "")
    name = known if _NAME.fullmatch(known) else secrets.token_urlsafe(_NAME_BYTES)
    set_cookie(response, VAR_DRAFTS, name, max_age=DRAFTS_MAX_AGE_S, scripts_read=True)


def end_drafts(response: HttpResponseBase) -> None:
    """End all drafts of the browser: at a sign-out."""
    remove_cookie(response, VAR_DRAFTS)


#: Seconds: for the redirects, and a slow page at their end.
MAX_AGE_S: Final = 60


def follow_refusal(request: PortalRequest, response: HttpResponseBase, refused: TPlatform | None) -> None:
    """Set the cookie on the redirect that refuses a platform; remove it with the first page that has shown it.

    :param refused: the platform; None where a request brings the cookie, and nothing is refused.
    """
    if refused is not None:
        set_cookie(response, REFUSED_PLATFORM, refused, max_age=MAX_AGE_S)
    elif _is_page(request, response):
        remove_cookie(response, REFUSED_PLATFORM)


def _is_page(request: PortalRequest, response: HttpResponseBase) -> bool:
    is_redirect = HTTPStatus.MULTIPLE_CHOICES <= response.status_code < HTTPStatus.BAD_REQUEST
    return is_page_navigation(request) and not is_redirect


def name_sign_in(request: HttpRequest, response: HttpResponseBase, pair: TokenPair, *, is_new: bool) -> None:
    """Give a new sign-in its name; keep that of a sign-in that goes on as long as its new tokens.

    :param pair: the new tokens.
    """
    known = request.COOKIES.get(SIGN_IN_NAME, "")
    name = secrets.token_urlsafe(_NAME_BYTES) if is_new else known
    if _NAME.fullmatch(name):
        set_sign_in_cookie(response, SIGN_IN_NAME, name, refresh=pair.refresh)


#: Between the reason and the page; neither contains it.
_SPACE: Final = " "


class WayBack(NamedTuple):
    """What the sign-in page is told.

    :param reason: one that the sign-in page knows; empty for none.
    :param page: an absolute address of one of our apps, or a path of the gateway; empty for none.
    """

    reason: str = ""
    page: str = ""


NO_WAY_BACK: Final = WayBack()


def set_way_back(response: HttpResponseBase, way_back: WayBack) -> None:
    """Tell the sign-in page. Without the page to return to, if browsers would not keep the cookie with it."""
    value = _value(way_back)
    if len(VAR_WAY_BACK) + len(value) > MAX_COOKIE_BYTES:
        value = _value(WayBack(reason=way_back.reason))
    set_cookie(response, VAR_WAY_BACK, value, max_age=WAY_BACK_MAX_AGE_S)


def _value(way_back: WayBack) -> str:
    return quote(f"{way_back.reason}{_SPACE}{way_back.page}", safe="")


def read_way_back(request: HttpRequest) -> WayBack:
    """What the cookie says. Its page has passed the rules of `next` (contract, section 5); any other counts as none."""
    sent = request.COOKIES.get(VAR_WAY_BACK, "")
    if not sent or len(sent) > MAX_COOKIE_BYTES:
        return NO_WAY_BACK
    reason, _, page = unquote(sent).partition(_SPACE)
    config = portal_config()
    accepted = accept_target(page, own_origin=config.own_origin, origins=config.origins.values())
    return WayBack(reason=reason, page=accepted or "")
