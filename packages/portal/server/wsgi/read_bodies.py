"""Reads what an application has left of a request's body, before its response is sent.

A redirect, or a refusal, is answered without a look at the body. granian then closes the connection while the other end
still sends, which resets it: a reverse proxy counts that as an error of the server and says 502, not what was answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import InputStream, StartResponse, WSGIApplication, WSGIEnvironment

#: Longest body that is read to its end, bytes: what the site file of nginx lets through (`client_max_body_size`).
MAX_READ_BYTES: Final = 1024 * 1024
_PART_BYTES: Final = 64 * 1024


def with_read_bodies(application: WSGIApplication) -> WSGIApplication:
    """Wrap an application: a body is read to its end, unless it is longer than any that the pages take."""

    def reading_application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        answer = application(environ, start_response)
        if environ.get("CONTENT_LENGTH", "0") != "0" or "HTTP_TRANSFER_ENCODING" in environ:
            _read_rest(environ["wsgi.input"])
        return answer

    return reading_application


def _read_rest(body: InputStream) -> None:
    left = MAX_READ_BYTES
    while left > 0:
        part = body.read(min(_PART_BYTES, left))
        if not part:
            return
        left -= len(part)
