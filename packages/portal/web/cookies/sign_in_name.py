"""The cookie `sign_in_name`: a random name of this browser's sign-in, which scripts read.

What a browser keeps of a sign-in, such as the records that were opened last, it keeps under this name. Each sign-in has
another one, also one of the same account after a sign-out from another device, of which this browser was not told.
"""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Final

from portal.config.cookies import SIGN_IN_NAME
from portal.web.cookies.token_cookies import set_sign_in_cookie

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

    from portal.api import TokenPair
    from portal.config.portal_config import PortalConfig

_NAME_BYTES: Final = 9
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{12}")


def name_sign_in(
    request: HttpRequest, response: HttpResponseBase, pair: TokenPair, *, is_new: bool, config: PortalConfig
) -> None:
    """Give a new sign-in its name; keep that of a sign-in that goes on as long as its new tokens.

    :param pair: the new tokens.
    """
    known = request.COOKIES.get(SIGN_IN_NAME, "")
    name = secrets.token_urlsafe(_NAME_BYTES) if is_new else known
    if _NAME.fullmatch(name):
        set_sign_in_cookie(response, SIGN_IN_NAME, name, refresh=pair.refresh, config=config)
