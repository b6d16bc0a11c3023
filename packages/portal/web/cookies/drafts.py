"""The cookie VAR_DRAFTS: the drafts of forms, which browsers keep, last until a sign-out from any app.

A browser's tab keeps what was typed (`drafts.js`) for the account and for the name in this cookie. All apps and all
tabs share the cookie. So the sign-out, which removes it, ends all drafts; a sign-in that ends in another way ends none.
"""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Final

from portal.config.cookies import DRAFTS_MAX_AGE_S, VAR_DRAFTS
from portal.web.cookies.token_cookies import remove_cookie, set_cookie

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

    from portal.config.portal_config import PortalConfig

_NAME_BYTES: Final = 9
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{12}")


def keep_drafts(request: HttpRequest, response: HttpResponseBase, *, config: PortalConfig) -> None:
    """Let the browser keep drafts from now on, if it does not yet."""
    known = request.COOKIES.get(VAR_DRAFTS, "")
    name = known if _NAME.fullmatch(known) else secrets.token_urlsafe(_NAME_BYTES)
    set_cookie(response, VAR_DRAFTS, name, max_age=DRAFTS_MAX_AGE_S, config=config, scripts_read=True)


def end_drafts(response: HttpResponseBase, *, config: PortalConfig) -> None:
    """End all drafts of the browser: at a sign-out."""
    remove_cookie(response, VAR_DRAFTS, config=config)
