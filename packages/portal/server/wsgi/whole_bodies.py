"""Hands a response that does not stream to granian as a list of one part.

Django's response is an iterator: granian can't know its length and sends it in chunks. Of a list it knows the length:
the response has a `Content-Length` (RFC 9110, 8.6: none with 204 and 304), also for HEAD, and costs less to send.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from django.http import HttpResponse


def with_whole_bodies(application: WSGIApplication) -> WSGIApplication:
    """Wrap a Django application: of a response with a known body, the server gets the body."""

    def whole_application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        answer = application(environ, start_response)
        if getattr(answer, "streaming", True):
            return answer
        response = cast("HttpResponse", answer)
        response.close()
        return [response.content]

    return whole_application
