"""The layer between granian and the WSGI application: `for_granian` wraps an application, for three reasons.

`refusal` is what a request gets that is turned away (:mod:`portal_server.limiter`).

The parameters of a request's `Content-Type` are removed, but for the boundary. Django reads the other parameters while
it builds the request, before any middleware. Some values raise an error there: a codec that is not a text encoding
(`charset=hex`) beside a query, or an unknown one in RFC 2231's form. The response is then a bare 500 without a request
id and security headers. Browsers send UTF-8 to our pages, and the portal reads no other parameter.

A response that does not stream is handed to granian as a list of one part. Django's response is an iterator: granian
can't know its length and sends it in chunks. Of a list it knows the length: the response has a `Content-Length`
(RFC 9110, 8.6: none with 204 and 304), also for HEAD, and costs less to send.

A page is answered with its reason where granian has lost the request's cookies, and each such request is counted.
granian gives the application an empty text for a header with any octet outside ASCII
(https://github.com/emmett-framework/granian/issues/335), and the octets can't be recovered. One such cookie, set by any
application on the shared domain, removes the sign-in cookies too, so the user can't sign in. A browser never sends an
empty `Cookie` header. The script of the page expires every cookie with such letters that it can read.
"""

from __future__ import annotations

import html
import json
import logging
import os
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from portal.config.log_lines import log_context
from portal.telemetry.metrics import Counters

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment


_BOUNDARY: Final = re.compile(r';\s*boundary=("?)([^";\s]+)\1', re.ASCII | re.IGNORECASE)
_lost_counter: Final = Counters("portal_lost_cookies_total", "Requests whose cookies granian has lost.")
#: The name is known to whoever filters the log.
logger = logging.getLogger("portal.server.wsgi.lost_cookies")


def for_granian(application: WSGIApplication) -> WSGIApplication:
    """Wrap a Django application: see the module. A process logs lost cookies once."""
    named = False

    def wrapped(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        nonlocal named
        kind, has_more, _ = environ.get("CONTENT_TYPE", "").partition(";")
        if has_more:
            boundary = _BOUNDARY.search(environ["CONTENT_TYPE"])
            environ["CONTENT_TYPE"] = f'{kind.strip()}; boundary="{boundary[2]}"' if boundary else kind.strip()
        if environ.get("HTTP_COOKIE") == "":
            _lost_counter.count()
            if not named:
                named = True
                # The context of this thread's last request is still set.
                log_context.set(None)
                logger.warning(
                    "a request's cookies were lost, and its sign-in with them: one of them holds octets outside ASCII. "
                    "No application on the cookie domain should set such cookies (logged once)"
                )
            if _asks_for_page(environ):
                headers, page = refusal(environ, LOST_COOKIES)
                start_response("400 Bad Request", headers)
                return [page]
        answer = application(environ, start_response)
        if not getattr(answer, "streaming", True):
            response: Any = answer  # Django's, whose types this layer does not import
            response.close()
            answer = [response.content]
        return answer

    return wrapped


_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._\-]{1,128}", re.ASCII)
#: Expires a cookie by its name with each domain and path that it may have, and loads the page again if none is left.
_EXPIRE: Final = r"""
const odd = () => document.cookie.split("; ").filter((pair) => /[^\0-\x7f]/.test(pair));
const found = odd(), labels = location.hostname.split("."), steps = location.pathname.split("/");
const secure = location.protocol === "https:" ? "; secure" : "";
for (const pair of found)
  for (let n = 0; n <= labels.length; n++)
    for (let m = 1; m <= steps.length; m++)
      for (const end of ["", "/"]) {
        const name = pair.includes("=") ? pair.split("=")[0] : "", path = steps.slice(0, m).join("/") + end;
        const domain = n ? `; domain=${labels.slice(n - 1).join(".")}` : "";
        document.cookie = `${name}=x; max-age=0; path=${path}${domain}${secure}`;
      }
if ("reloads" in document.currentScript.dataset && found.length && !odd().length) location.reload();
"""


class Refusal(NamedTuple):
    """An answer without the application. No template and no Django: it must cost nothing.

    :param title: for programs.
    :param texts: for people, by the first part of the address: title, heading, text.
    """

    status: int
    title: str
    texts: Mapping[str, tuple[str, str, str]]
    headers: Sequence[tuple[str, str]]
    script: str = ""


BUSY: Final = Refusal(
    503,
    "Too many requests wait",
    {
        "en": ("Too many requests", "Too many people are here at once", "Please wait a moment, then try again."),
        "de": ("Zu viele Anfragen", "Gerade sind zu viele Menschen hier", "Bitte versuchen Sie es gleich noch einmal."),
        "tr": ("Çok fazla istek", "Şu anda burada çok fazla kişi var", "Lütfen birazdan yeniden deneyin."),
    },
    [("retry-after", "2"), ("content-security-policy", "default-src 'none'; frame-ancestors 'none'")],
)
_DIGEST: Final = b64encode(sha256(_EXPIRE.encode()).digest()).decode()
LOST_COOKIES: Final = Refusal(
    400,
    "Cookies can't be read",
    {
        "en": (
            "Cookies can’t be read",
            "This browser’s cookies can’t be read",
            "Nothing was changed: a cookie of another application hides ours. Try again, or delete the site’s cookies.",
        ),
        "de": (
            "Cookies nicht lesbar",
            "Die Cookies dieses Browsers sind nicht lesbar",
            "Nichts wurde geändert: Ein fremdes Cookie verdeckt unsere. Bitte noch einmal, oder Sie löschen Cookies.",
        ),
        "tr": (
            "Çerezler okunamıyor",
            "Bu tarayıcının çerezleri okunamıyor",
            "Hiçbir şey değiştirilmedi: yabancı bir çerez bizimkileri gizliyor. Yeniden deneyin veya çerezleri silin.",
        ),
    },
    [("content-security-policy", f"default-src 'none'; script-src 'sha256-{_DIGEST}'; frame-ancestors 'none'")],
    _EXPIRE,
)


def _asks_for_page(scope: Mapping[str, Any]) -> bool:
    return "text/html" in scope.get("HTTP_ACCEPT", "") and "HTTP_HX_REQUEST" not in scope


def refusal(scope: Mapping[str, Any], why: Refusal = BUSY) -> tuple[list[tuple[str, str]], bytes]:
    """The headers and the body: a page for people, a problem document for programs and parts of a page."""
    sent = scope.get("HTTP_X_REQUEST_ID", "")
    request_id = sent if _REQUEST_ID.fullmatch(sent) else os.urandom(16).hex()
    if _asks_for_page(scope):
        kind = "text/html; charset=utf-8"
        first = scope["PATH_INFO"].lstrip("/").partition("/")[0]
        language = first if first in why.texts else "en"
        title, head, text = (html.escape(each) for each in why.texts[language])
        reloads = " data-reloads" * (scope["REQUEST_METHOD"] == "GET")
        body = (
            f"<!doctype html><html lang={language}><meta name=viewport content='width=device-width'>"
            f"<title>{title}</title><h1>{head}</h1><p>{text}<p><small>{request_id}</small>"
            f"{why.script and f'<script{reloads}>{why.script}</script>'}"
        )
    else:
        kind = "application/problem+json"
        body = json.dumps({"type": "about:blank", "title": why.title, "status": why.status})
    headers = [
        ("content-type", kind),
        ("cache-control", "private, no-store"),
        ("x-request-id", request_id),
        ("x-content-type-options", "nosniff"),
        *why.headers,
    ]
    return headers, body.encode()
