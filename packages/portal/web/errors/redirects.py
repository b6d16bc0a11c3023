"""Where a user who can't have the page is led: to the sign-in page, or to the default home (contract, section 5)."""

import logging
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseBase

from portal.config.current import portal_config
from portal.edge import (
    PROBLEM_CONTENT_TYPE,
    accept_target,
    is_htmx,
    login_url_from,
    problem_document,
    split_locale,
)
from portal.web.cookies import WayBack
from portal.web.request import SAFE_METHODS, PortalRequest, is_page_navigation

logger = logging.getLogger(__name__)

#: Where a refused sign-in leads; from there the edge leads on to the sign-in page.
ENDED_PATH: Final = "/"
#: The parameter of the sign-in page's address that says why the user was led there.
REASON_PARAM: Final = "reason"
#: Its value after a refresh whose outcome is unknown, and whose refresh token may not be sent again.
REFRESH_LOST: Final = "refresh-lost"
#: The reason for the end of any other sign-in that was in use until then.
SIGN_IN_ENDED: Final = "ended"
#: What the edge answers to a form, or to htmx, that comes without a sign-in.
_REFUSED_FORM: Final = frozenset({HTTPStatus.SEE_OTHER, HTTPStatus.UNAUTHORIZED})


def login_url(request: PortalRequest) -> str:
    """The sign-in page, with the page to return to as `next`.

    That is the page that was asked for. For a form or htmx, it is the page that sent the request.
    """
    return login_url_from(request.edge_site, locale=request.edge_user.locale, current_url=_page_of(request))


def _lost_url(request: PortalRequest) -> str:
    """The same, with the reason that the outcome of a refresh is not known."""
    url = login_url(request)
    return f"{url}{'&' if '?' in url else '?'}{urlencode({REASON_PARAM: REFRESH_LOST})}"


def _page_of(request: PortalRequest) -> str | None:
    """The page that was asked for; of a form or htmx, the page that sent it."""
    meta = request.META
    if not is_page_navigation(request):
        return meta.get("HTTP_HX_CURRENT_URL")
    return request.get_full_path() if request.method in {"GET", "HEAD"} else meta.get("HTTP_REFERER")


def way_back_of(request: PortalRequest, response: HttpResponseBase) -> WayBack | None:
    """What the sign-in page has to be told where this response ends a sign-in; None where it ends none.

    A form, or htmx, without a sign-in comes from a page that had one. A GET without a sign-in may be the first visit.
    """
    if isinstance(response, SignInEndedResponse):
        return WayBack(reason=SIGN_IN_ENDED, page=_target_of(request))
    is_refused = not hasattr(request, "edge_user") and response.status_code in _REFUSED_FORM
    leads_there = response.has_header("Location") or response.has_header("HX-Redirect")
    return WayBack(reason=SIGN_IN_ENDED) if is_refused and leads_there else None


def _target_of(request: PortalRequest) -> str:
    origin = portal_config().own_origin
    target = accept_target(_page_of(request), own_origin=origin, origins=())
    return "" if target is None or split_locale(target.partition("?")[0])[1] in {"", "/"} else origin + target


class SignInEndedResponse(HttpResponse):
    """What a request gets whose sign-in can't go on: a redirect, or for htmx and fetch a 401 with `HX-Redirect`."""


def sign_in_ended(request: PortalRequest) -> SignInEndedResponse:
    """The response at the end of a sign-in (contract, section 8).

    It leads to `/`. Where the end is that the newest refresh token may not be sent again, it leads to the sign-in
    page, which tells the reason and leads back.
    """
    lost = request.token_store.lost
    logger.info("this sign-in has ended: sent to %s", "the sign-in page" if lost else ENDED_PATH)
    target = _lost_url(request) if lost else ENDED_PATH
    if is_page_navigation(request):
        status = HTTPStatus.FOUND if request.method in SAFE_METHODS else HTTPStatus.SEE_OTHER
        return SignInEndedResponse(status=status, headers={"Location": target})
    document = problem_document(status=401, title="This sign-in has ended", detail="", request_id=request.request_id)
    headers = {"HX-Redirect": target}
    return SignInEndedResponse(document, status=401, content_type=PROBLEM_CONTENT_TYPE, headers=headers)


def redirect_htmx(request: PortalRequest, response: HttpResponse, *, url: str) -> HttpResponse:
    """Have htmx open another page in place of this response."""
    if is_htmx(request.META):
        response["HX-Redirect"] = url
    return response
