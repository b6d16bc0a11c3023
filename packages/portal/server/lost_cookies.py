"""Says so when the server in front of WSGI has lost a request's cookies.

granian hands a header that holds any octet outside ASCII to the application as an empty text
(https://github.com/emmett-framework/granian/issues/335), and the octets can't be had back. One such cookie, set by
anybody on the shared domain, takes the sign-in's cookies with it: its owner can't sign in. A browser sends no empty
`Cookie` header, so an empty one is the sign.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from portal.config.log_lines import log_context

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

logger = logging.getLogger(__name__)


def naming_lost_cookies(application: WSGIApplication) -> WSGIApplication:
    """The same application; the first request whose cookies were lost is logged, once in a process."""
    named = False

    def named_application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        nonlocal named
        if not named and environ.get("HTTP_COOKIE") == "":
            named = True
            # It is still this thread's last request.
            log_context.set(None)
            logger.warning(
                "a request's cookies were lost, and its sign-in with them: one of them holds octets outside ASCII. "
                "No application on the cookie domain should set such cookies (logged once)"
            )
        return application(environ, start_response)

    return named_application
