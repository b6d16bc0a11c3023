"""The cookie VAR_WAY_BACK: why a sign-in ended, and the page to return to after the next one.

The end of a sign-in leads to `/`, and from there to the sign-in page, whose address then names neither (contract,
section 8). The cookie tells both to the sign-in page. It is set where a sign-in ends, and removed with the next one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote, unquote

from portal.config.cookies import MAX_COOKIE_BYTES, VAR_WAY_BACK, WAY_BACK_MAX_AGE_S
from portal.edge import accept_target
from portal.web.cookies.token_cookies import remove_cookie, set_cookie

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

    from portal.config.portal_config import PortalConfig

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


def set_way_back(response: HttpResponseBase, way_back: WayBack, *, config: PortalConfig) -> None:
    """Tell the sign-in page. Without the page to return to, if browsers would not keep the cookie with it."""
    value = _value(way_back)
    if len(VAR_WAY_BACK) + len(value) > MAX_COOKIE_BYTES:
        value = _value(WayBack(reason=way_back.reason))
    set_cookie(response, VAR_WAY_BACK, value, max_age=WAY_BACK_MAX_AGE_S, config=config)


def _value(way_back: WayBack) -> str:
    return quote(f"{way_back.reason}{_SPACE}{way_back.page}", safe="")


def read_way_back(request: HttpRequest, *, config: PortalConfig) -> WayBack:
    """What the cookie says. Its page has passed the rules of `next` (contract, section 5); any other counts as none."""
    sent = request.COOKIES.get(VAR_WAY_BACK, "")
    if not sent or len(sent) > MAX_COOKIE_BYTES:
        return NO_WAY_BACK
    reason, _, page = unquote(sent).partition(_SPACE)
    accepted = accept_target(page, own_origin=config.own_origin, origins=config.origins.values())
    return WayBack(reason=reason, page=accepted or "")


def remove_way_back(request: HttpRequest, response: HttpResponseBase, *, config: PortalConfig) -> None:
    """Remove the cookie, if the browser has it."""
    if VAR_WAY_BACK in request.COOKIES:
        remove_cookie(response, VAR_WAY_BACK, config=config)
