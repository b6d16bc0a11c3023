"""The cookie VAR_PERMITTED_PLATFORMS, which follows `GET /me` (requirements, "Cookies"; contract, section 4).

During a request, whoever reads `/me` notes its platforms as `request.me_platforms`. The outermost middleware calls this
module once, at the end of the request, and nothing else writes the cookie:

============================  =====================================================================================
The request's tokens          The cookie
============================  =====================================================================================
kept                          is written if `/me` differs from the cookie that the browser sent
new, from a sign-in           is written if `/me` answered; else the last user's cookie is removed
new, from a refresh           is written again, with the lifetime of the new refresh token
signed out                    is removed with the tokens (:func:`.token_cookies.clear_sign_in`), or is not written
============================  =====================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.api import TokenStatus, api_session
from portal.config.cookies import VAR_PERMITTED_PLATFORMS
from portal.identity import dump_platforms_cookie, parse_platforms_cookie
from portal.web.cookies.token_cookies import set_sign_in_cookie
from portal.web.preferences import remove_cookie

if TYPE_CHECKING:
    from django.http.response import HttpResponseBase

    from portal.api import TokenPair
    from portal.config.platforms import TPlatform
    from portal.web.request import PortalRequest


def follow_profile(request: PortalRequest, response: HttpResponseBase) -> None:
    """Write the cookie of a request that kept its tokens, if `/me` named other platforms than the browser's cookie."""
    platforms, tokens = request.me_platforms, request.token_store
    if platforms is None or dump_platforms_cookie(platforms) == request.COOKIES.get(VAR_PERMITTED_PLATFORMS):
        return
    # Only such a request reads the store; most requests write nothing. The tokens are those that came with the request:
    # the browser may have signed in again meanwhile. While the store is down, the cookie is written.
    if api_session().refresher.signed_out_at(tokens.incoming) is None:
        _write(response, platforms, tokens.current)


def follow_new_tokens(request: PortalRequest, response: HttpResponseBase, pair: TokenPair) -> None:
    """Write the cookie for the lifetime of new tokens, or remove the cookie of the user before a sign-in.

    :param pair: the new tokens.
    """
    platforms, sent = request.me_platforms, request.COOKIES.get(VAR_PERMITTED_PLATFORMS)
    if platforms is None and sent is not None and request.token_store.status is TokenStatus.REFRESHED:
        platforms = parse_platforms_cookie(sent)
    if platforms is not None:
        _write(response, platforms, pair)
    elif sent is not None:
        remove_cookie(response, VAR_PERMITTED_PLATFORMS)


def _write(response: HttpResponseBase, platforms: tuple[TPlatform, ...], pair: TokenPair) -> None:
    value = dump_platforms_cookie(platforms)
    set_sign_in_cookie(response, VAR_PERMITTED_PLATFORMS, value, refresh=pair.refresh)
