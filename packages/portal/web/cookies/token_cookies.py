"""The cookies of a sign-in: read from a request, written to a response (contract, section 4).

Both token cookies are HttpOnly: no script needs a token. All are `SameSite=Lax`, `Path=/`, on the shared cookie
domain where there is one, and `Secure` where the gateway's address is https.

VAR_PERMITTED_PLATFORMS follows `GET /me` (requirements, "Cookies"). A read of `/me` notes its platforms as
`request.me_platforms`. The outermost middleware writes the cookie at the end of the request, and nothing else does:

============================  =====================================================================================
The request's tokens          The cookie
============================  =====================================================================================
kept                          is written if `/me` differs from the cookie that the browser sent
new, from a sign-in           is written if `/me` answered; else the last user's cookie is removed
new, from a refresh           is written again, with the lifetime of the new refresh token
signed out                    is removed with the tokens (:func:`clear_sign_in`), or is not written
============================  =====================================================================================
"""

import logging
import time
from collections.abc import Mapping
from http.cookies import Morsel
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from portal.api import TokenPair, TokenStatus, api_session, sign_in_lifetime
from portal.config.cookies import (
    MAX_COOKIE_BYTES,
    SHARED_COOKIES,
    SIGN_IN_COOKIES,
    SIGN_IN_NAME,
    VAR_ACCESS_TOKEN,
    VAR_PERMITTED_PLATFORMS,
    VAR_REFRESH_TOKEN,
)
from portal.config.current import portal_config
from portal.config.platforms import TPlatform
from portal.errors import UsageError
from portal.identity import dump_platforms_cookie, parse_platforms_cookie
from portal.web.preferences import SAME_SITE, remove_cookie, set_cookie
from portal.web.request import PortalRequest

logger = logging.getLogger(__name__)

TOKEN_COOKIES: Final = (VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN)
_OF_A_SIGN_IN: Final = {*SIGN_IN_COOKIES, SIGN_IN_NAME}
_DELETED = "Thu, 01 Jan 1970 00:00:00 GMT"


def read_tokens(cookies: Mapping[str, str]) -> TokenPair:
    """The tokens in a request's cookies.

    Three kinds of cookies count as absent, since no sign-in here can have set them: an empty one, one that is larger
    than browsers keep, and an access token that no header can carry.
    """
    access, refresh = cookies.get(VAR_ACCESS_TOKEN, ""), cookies.get(VAR_REFRESH_TOKEN, "")
    # A header carries printable Latin-1, as `http.client` writes it.
    is_sendable = access.isprintable() and (access.isascii() or max(access) <= "\xff")
    if len(access) > MAX_COOKIE_BYTES or not is_sendable:
        access = ""
    if len(refresh) > MAX_COOKIE_BYTES:
        refresh = ""
    return TokenPair(access=access or None, refresh=refresh or None)


def write_tokens(response: HttpResponseBase, pair: TokenPair) -> None:
    """Set the token cookies. A token that is missing from the pair has its cookie removed.

    Tokens that browsers would not keep never come here: :mod:`portal.api.token_validation` refuses them.
    """
    for name, token in ((VAR_ACCESS_TOKEN, pair.access), (VAR_REFRESH_TOKEN, pair.refresh)):
        if token is None:
            remove_cookie(response, name)
        else:
            set_sign_in_cookie(response, name, token, refresh=pair.refresh)


def refuse_sign_in_cookies(request: HttpRequest, response: HttpResponseBase) -> None:
    """Take out of a response what a view has set of a sign-in's cookies: the middleware alone sets them.

    :raises UsageError: in `DEBUG`. Elsewhere the log names the cookie.
    """
    for name in _OF_A_SIGN_IN & response.cookies.keys() if response.cookies else ():
        del response.cookies[name]
        view = getattr(request.resolver_match, "view_name", None)
        if settings.DEBUG:
            raise UsageError(
                f"the view {view!r} sets the cookie {name} itself, and sign-ins, refreshes and sign-outs alone set it:"
                ' to sign somebody out, write <form method="post" action="{{ shell.logout_url }}">'
            )
        logger.error("the view %r sets the cookie %s itself: it was dropped", view, name)


def clear_sign_in(response: HttpResponseBase) -> None:
    """Remove the cookies of a sign-in, in both scopes. The locale is a preference and stays."""
    for name in SIGN_IN_COOKIES:
        remove_cookie(response, name)
        remove_host_only_twin(response, name)


def set_sign_in_cookie(response: HttpResponseBase, name: str, value: str, *, refresh: str | None) -> None:
    """Set a cookie of a sign-in for the lifetime of a refresh token. No script can read the tokens.

    :param refresh: the refresh token; without one, or without its `exp`, the setting gives the lifetime.
    """
    max_age = sign_in_lifetime(refresh, now=time.time(), default_s=portal_config().sign_in_max_age_s)
    set_cookie(response, name, value, max_age=max_age, scripts_read=name not in TOKEN_COOKIES)


def remove_host_only_twin(response: HttpResponseBase, name: str) -> None:
    """Remove the cookie of this name that has no domain: browsers may send it in place of the shared one.

    Without a cookie domain that cookie is ours, and nothing is removed.
    """
    config = portal_config()
    if not config.cookie_domain:
        return
    twin: Morsel[str] = Morsel()
    twin.set(name, "", "")
    twin.update({"expires": _DELETED, "max-age": "0", "path": "/", "samesite": SAME_SITE})
    if config.secure:
        twin.update({"secure": "true"})
    # Django keeps cookies by name. A second cookie of one name needs another key, which is not sent.
    dict.__setitem__(response.cookies, f"{name} (host only)", twin)


def remove_duplicates(request: HttpRequest, response: HttpResponseBase) -> None:
    """If the request has one of the shared cookies twice, remove the one without a domain."""
    if not portal_config().cookie_domain:
        return
    header = request.META.get("HTTP_COOKIE", "")
    names = [part.partition("=")[0].strip() for part in header.split(";")]
    for name in SHARED_COOKIES:
        if names.count(name) > 1:
            remove_host_only_twin(response, name)


def follow_profile(request: PortalRequest, response: HttpResponseBase) -> None:
    """Write the cookie of a request that kept its tokens, if `/me` named other platforms than the browser's cookie."""
    platforms, tokens = request.me_platforms, request.token_store
    if platforms is None or dump_platforms_cookie(platforms) == request.COOKIES.get(VAR_PERMITTED_PLATFORMS):
        return
    # Only such a request reads the store; most requests write nothing. The tokens are those that came with the request:
    # the browser may have signed in again meanwhile. While the store is down, the cookie is written.
    if api_session().refresher.signed_out_at(tokens.incoming) is None:
        _write_platforms(response, platforms, tokens.current)


def follow_new_tokens(request: PortalRequest, response: HttpResponseBase, pair: TokenPair) -> None:
    """Write the cookie for the lifetime of new tokens, or remove the cookie of the user before a sign-in.

    :param pair: the new tokens.
    """
    platforms, sent = request.me_platforms, request.COOKIES.get(VAR_PERMITTED_PLATFORMS)
    if platforms is None and sent is not None and request.token_store.status is TokenStatus.REFRESHED:
        platforms = parse_platforms_cookie(sent)
    if platforms is not None:
        _write_platforms(response, platforms, pair)
    elif sent is not None:
        remove_cookie(response, VAR_PERMITTED_PLATFORMS)


def _write_platforms(response: HttpResponseBase, platforms: tuple[TPlatform, ...], pair: TokenPair) -> None:
    value = dump_platforms_cookie(platforms)
    set_sign_in_cookie(response, VAR_PERMITTED_PLATFORMS, value, refresh=pair.refresh)
