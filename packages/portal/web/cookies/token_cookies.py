"""The sign-in's cookies: read from a request, written to a response (contract, section 4).

Both token cookies are HttpOnly: no script needs a token. All are `SameSite=Lax`, `Path=/`, on the shared cookie
domain where there is one, and `Secure` where the gateway's address is https.
"""

from __future__ import annotations

import time
from http.cookies import Morsel
from typing import TYPE_CHECKING, Final

from portal.api.expiry import sign_in_lifetime
from portal.api.tokens import TokenPair
from portal.config.cookies import (
    MAX_COOKIE_BYTES,
    SHARED_COOKIES,
    SIGN_IN_COOKIES,
    VAR_ACCESS_TOKEN,
    VAR_PERMITTED_PLATFORMS,
    VAR_REFRESH_TOKEN,
)
from portal.identity import dump_platforms_cookie

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

    from portal.config.platforms import TPlatform
    from portal.config.portal_config import PortalConfig

SAME_SITE: Final = "Lax"
_DELETED = "Thu, 01 Jan 1970 00:00:00 GMT"


def read_tokens(cookies: Mapping[str, str]) -> TokenPair:
    """The pair that a request's cookies hold; an empty cookie counts as absent.

    So does one that is larger than browsers keep, and an access token that no header could carry: no sign-in here can
    have set it.
    """
    access, refresh = cookies.get(VAR_ACCESS_TOKEN, ""), cookies.get(VAR_REFRESH_TOKEN, "")
    if len(access) > MAX_COOKIE_BYTES or not _is_sendable(access):
        access = ""
    if len(refresh) > MAX_COOKIE_BYTES:
        refresh = ""
    return TokenPair(access=access or None, refresh=refresh or None)


def _is_sendable(access: str) -> bool:
    """Whether it is Latin-1, as `http.client` writes headers, and printable."""
    return access.isprintable() and max(access, default="") <= "\xff"


def write_tokens(
    response: HttpResponseBase,
    pair: TokenPair,
    *,
    config: PortalConfig,
    platforms: tuple[TPlatform, ...] | None = None,
) -> None:
    """Set the token cookies, and the platforms cookie with them, since it lives as long.

    :param platforms: of this sign-in; None for no cookie. One that the response has already is newer, and stays.

    A token that is missing from the pair has its cookie removed. Whether browsers would keep them was asked where they
    came in: see :mod:`portal.api.token_validation`.
    """
    lifetime = sign_in_lifetime(pair.refresh, now=time.time(), default_s=config.sign_in_max_age_s)
    for name, token in ((VAR_ACCESS_TOKEN, pair.access), (VAR_REFRESH_TOKEN, pair.refresh)):
        if token is None:
            remove_cookie(response, name, config=config)
        else:
            set_sign_in_cookie(response, name, token, config=config, max_age_s=lifetime)
    if platforms is not None and VAR_PERMITTED_PLATFORMS not in response.cookies:
        value = dump_platforms_cookie(platforms)
        set_sign_in_cookie(response, VAR_PERMITTED_PLATFORMS, value, config=config, max_age_s=lifetime)


def clear_sign_in(response: HttpResponseBase, *, config: PortalConfig) -> None:
    """Remove the three cookies of a sign-in, in both scopes. The locale is a preference and stays."""
    for name in SIGN_IN_COOKIES:
        remove_cookie(response, name, config=config)
        remove_host_only_twin(response, name, config=config)


def set_sign_in_cookie(
    response: HttpResponseBase, name: str, value: str, *, config: PortalConfig, max_age_s: int
) -> None:
    """Set one of the three cookies. The platforms cookie alone may be read by scripts."""
    response.set_cookie(
        name,
        value,
        max_age=max_age_s,
        path="/",
        domain=config.cookie_domain or None,
        secure=config.secure,
        httponly=name != VAR_PERMITTED_PLATFORMS,
        samesite=SAME_SITE,
    )


def remove_cookie(response: HttpResponseBase, name: str, *, config: PortalConfig) -> None:
    """Remove a cookie with the domain and path that it was set with."""
    response.delete_cookie(name, path="/", domain=config.cookie_domain or None, samesite=SAME_SITE)
    if config.secure:
        response.cookies[name]["secure"] = True


def remove_host_only_twin(response: HttpResponseBase, name: str, *, config: PortalConfig) -> None:
    """Remove a cookie of the same name that lies on this host alone and would shadow the shared one.

    Without a cookie domain the host-only cookie is ours, and nothing is removed.
    """
    if not config.cookie_domain:
        return
    twin: Morsel[str] = Morsel()
    twin.set(name, "", "")
    twin.update({"expires": _DELETED, "max-age": "0", "path": "/", "samesite": SAME_SITE})
    if config.secure:
        twin.update({"secure": "true"})
    # Django keeps cookies by name; two of one name in a response need a second key, which is never sent.
    dict.__setitem__(response.cookies, f"{name} (host only)", twin)


def remove_duplicates(request: HttpRequest, response: HttpResponseBase, *, config: PortalConfig) -> None:
    """Where one of the four shared cookies came twice in one request, remove the host-only one."""
    if not config.cookie_domain:
        return
    header = request.META.get("HTTP_COOKIE", "")
    names = [part.partition("=")[0].strip() for part in header.split(";")]
    for name in SHARED_COOKIES:
        if names.count(name) > 1:
            remove_host_only_twin(response, name, config=config)
