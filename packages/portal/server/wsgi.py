"""What stands between granian and the WSGI application: `for_granian` wraps an application, for four reasons.

`refusal` is what a request gets that is turned away (:mod:`portal.server.gate`).

The parameters of a request's `Content-Type` are removed, but for the boundary. Django reads the other parameters while
it builds the request, before any middleware. Some values raise an error there: a codec that is not a text encoding
(`charset=hex`) beside a query, or an unknown one in RFC 2231's form. The response is then a bare 500 without a request
id and security headers. Browsers send UTF-8 to our pages, and the portal reads no other parameter.

A response that does not stream is handed to granian as a list of one part. Django's response is an iterator: granian
can't know its length and sends it in chunks. Of a list it knows the length: the response has a `Content-Length`
(RFC 9110, 8.6: none with 204 and 304), also for HEAD, and costs less to send.

What an application has left of a request's body is read before its response is sent, unless it is longer than any that
the pages take. A redirect, or a refusal, is answered without a look at the body. granian then closes the connection
while the other end still sends, which resets it: a reverse proxy counts that as an error of the server and says 502,
not what was answered.

That granian has lost a request's cookies is logged. granian gives the application an empty text for a header with any
octet outside ASCII (https://github.com/emmett-framework/granian/issues/335), and the octets can't be recovered. One
such cookie, set by any application on the shared domain, removes the sign-in cookies too, so the user can't sign in. A
browser never sends an empty `Cookie` header, so an empty one means that granian has lost the cookies.
"""

from __future__ import annotations

import html
import json
import logging
import os
import re
from typing import TYPE_CHECKING, Any, Final

from portal.config.log_lines import log_context

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from wsgiref.types import InputStream, StartResponse, WSGIApplication, WSGIEnvironment


_BOUNDARY: Final = re.compile(r';\s*boundary=("?)([^";\s]+)\1', re.ASCII | re.IGNORECASE)
#: Longest body that is read to its end, bytes: what the site file of nginx lets through (`client_max_body_size`).
MAX_READ_BYTES: Final = 1024 * 1024
_PART_BYTES: Final = 64 * 1024
#: The name is known to whoever filters the log.
logger = logging.getLogger("portal.server.wsgi.lost_cookies")


def for_granian(application: WSGIApplication) -> WSGIApplication:
    """Wrap a Django application: see the module. The first request of a process whose cookies were lost is logged."""
    named = False

    def wrapped(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        nonlocal named
        kind, has_more, _ = environ.get("CONTENT_TYPE", "").partition(";")
        if has_more:
            boundary = _BOUNDARY.search(environ["CONTENT_TYPE"])
            environ["CONTENT_TYPE"] = f'{kind.strip()}; boundary="{boundary[2]}"' if boundary else kind.strip()
        if not named and environ.get("HTTP_COOKIE") == "":
            named = True
            # The context of this thread's last request is still set.
            log_context.set(None)
            logger.warning(
                "a request's cookies were lost, and its sign-in with them: one of them holds octets outside ASCII. "
                "No application on the cookie domain should set such cookies (logged once)"
            )
        answer = application(environ, start_response)
        if not getattr(answer, "streaming", True):
            response: Any = answer  # Django's, whose types this layer does not import
            response.close()
            answer = [response.content]
        read_rest(environ)
        return answer

    return wrapped


def has_body(environ: WSGIEnvironment) -> bool:
    """Whether a request has a body."""
    return environ.get("CONTENT_LENGTH", "0") != "0" or "HTTP_TRANSFER_ENCODING" in environ


def read_rest(environ: WSGIEnvironment, *, most: int = MAX_READ_BYTES) -> bytes:
    """Read what is left of a request's body, if it has one, up to a number of octets."""
    if not has_body(environ):
        return b""
    body: InputStream = environ["wsgi.input"]
    parts, left = [], most
    while left > 0 and (part := body.read(min(_PART_BYTES, left))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


#: Who is turned away is asked to come again after so many seconds.
RETRY_AFTER_S: Final = 2
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._\-]{1,128}", re.ASCII)
#: What people read, by the first part of the address. No template and no Django: this must cost nothing.
_TEXTS: Final = {
    "en": ("Too many requests", "Too many people are here at once", "Please wait a moment, then try again."),
    "de": ("Zu viele Anfragen", "Gerade sind zu viele Menschen hier", "Bitte versuchen Sie es gleich noch einmal."),
    "tr": ("Çok fazla istek", "Şu anda burada çok fazla kişi var", "Lütfen birazdan yeniden deneyin."),
}


def refusal(scope: Mapping[str, Any]) -> tuple[list[tuple[str, str]], bytes]:
    """The headers and the body of a 503: a page for people, a problem document for programs and parts of a page."""
    sent = scope.get("HTTP_X_REQUEST_ID", "")
    request_id = sent if _REQUEST_ID.fullmatch(sent) else os.urandom(16).hex()
    if "text/html" in scope.get("HTTP_ACCEPT", "") and "HTTP_HX_REQUEST" not in scope:
        kind = "text/html; charset=utf-8"
        first = scope["PATH_INFO"].lstrip("/").partition("/")[0]
        language = first if first in _TEXTS else "en"
        title, head, text = (html.escape(each) for each in _TEXTS[language])
        body = (
            f"<!doctype html><html lang={language}><meta name=viewport content='width=device-width'>"
            f"<title>{title}</title><h1>{head}</h1><p>{text}<p><small>{request_id}</small>"
        )
    else:
        kind = "application/problem+json"
        body = json.dumps({"type": "about:blank", "title": "Too many requests wait", "status": 503})
    headers = [
        ("content-type", kind),
        ("retry-after", str(RETRY_AFTER_S)),
        ("cache-control", "private, no-store"),
        ("x-request-id", request_id),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
    ]
    return headers, body.encode()
