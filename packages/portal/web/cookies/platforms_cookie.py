"""The cookie VAR_PERMITTED_PLATFORMS follows the last `GET /me` (requirements, "Cookies"; contract, section 4).

Written whenever a `/me` result, fetched or cached, differs from what the request brought.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from portal.api.expiry import sign_in_lifetime
from portal.api.session import api_session
from portal.api.tokens import SignInStatus
from portal.config.cookies import VAR_PERMITTED_PLATFORMS
from portal.config.current import portal_config
from portal.identity import dump_platforms_cookie
from portal.web.cookies.token_cookies import set_sign_in_cookie
from portal.web.frame.essentials import known_essentials

if TYPE_CHECKING:
    from django.http.response import HttpResponseBase

    from portal.web.request import PortalRequest


def mirror_platforms(request: PortalRequest, response: HttpResponseBase) -> None:
    """Write the cookie if this request learned of other platforms than its cookie names.

    It lives as long as the refresh token that the request holds now.
    """
    essentials = known_essentials(request)
    if essentials is None:
        return
    value = dump_platforms_cookie(essentials.platforms)
    if request.COOKIES.get(VAR_PERMITTED_PLATFORMS) == value:
        return
    config = portal_config()
    lifetime = sign_in_lifetime(
        request.token_store.current.refresh, now=time.time(), default_s=config.sign_in_max_age_s
    )
    set_sign_in_cookie(response, VAR_PERMITTED_PLATFORMS, value, config=config, max_age_s=lifetime)


def withdraw_platforms(request: PortalRequest, response: HttpResponseBase) -> None:
    """Take the cookie back if the request's sign-in was signed out meanwhile: its sign-out has cleared it for good.

    Asked of the store only where the cookie is about to be written, which is seldom: where `/me` says what it said
    before, no response carries it. While the store does not answer it is left: no sign-out leaves a trace then either.
    """
    if VAR_PERMITTED_PLATFORMS not in response.cookies:
        return
    # The tokens that came with the request: the browser may have signed in anew by now.
    if api_session().refresher.sign_in_status(request.token_store.incoming) is SignInStatus.SIGNED_OUT:
        del response.cookies[VAR_PERMITTED_PLATFORMS]
