"""The cookie that carries, over the redirect to the default home, which platform the user may not open.

The contract's redirect stays as it is (section 5, row 4); it may lead over the gateway to another app. The page at its
end says it once. The cookie names a platform and nothing else: any other value is ignored.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from portal.config.cookies import REFUSED_PLATFORM
from portal.web.cookies.token_cookies import remove_cookie, set_cookie
from portal.web.request import is_page_navigation

if TYPE_CHECKING:
    from django.http.response import HttpResponseBase

    from portal.config.portal_config import PortalConfig
    from portal.web.request import PortalRequest

#: Seconds: for the redirects, and a slow page at their end.
MAX_AGE_S: Final = 60


def follow_refusal(request: PortalRequest, response: HttpResponseBase, *, config: PortalConfig) -> None:
    """Set the cookie on the redirect that refuses a platform; remove it with the first page that has shown it."""
    refused = getattr(request, "edge_refused", None)
    if refused is not None:
        set_cookie(response, REFUSED_PLATFORM, refused, max_age=MAX_AGE_S, config=config)
    elif REFUSED_PLATFORM in request.COOKIES and _is_page(request, response):
        remove_cookie(response, REFUSED_PLATFORM, config=config)


def _is_page(request: PortalRequest, response: HttpResponseBase) -> bool:
    is_redirect = HTTPStatus.MULTIPLE_CHOICES <= response.status_code < HTTPStatus.BAD_REQUEST
    return is_page_navigation(request) and not is_redirect
