"""Logs that granian has lost a request's cookies.

granian gives the application an empty text for a header with any octet outside ASCII
(https://github.com/emmett-framework/granian/issues/335), and the octets can't be recovered. One such cookie, set by
any application on the shared domain, removes the sign-in cookies too, so the user can't sign in. A browser never
sends an empty `Cookie` header, so an empty one means that granian has lost the cookies.
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
    """Wrap an application: log the first request of a process whose cookies were lost."""
    named = False

    def named_application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        nonlocal named
        if not named and environ.get("HTTP_COOKIE") == "":
            named = True
            # The context of this thread's last request is still set.
            log_context.set(None)
            logger.warning(
                "a request's cookies were lost, and its sign-in with them: one of them holds octets outside ASCII. "
                "No application on the cookie domain should set such cookies (logged once)"
            )
        return application(environ, start_response)

    return named_application
