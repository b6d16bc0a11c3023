"""Removes the parameters of a request's `Content-Type`, but for the boundary.

Django reads the other parameters while it builds the request, before any middleware. Some values raise an error
there: a codec that is not a text encoding (`charset=hex`) beside a query, or an unknown one in RFC 2231's form. The
response is then a bare 500 without a request id and security headers. Browsers send UTF-8 to our pages, and the
portal reads no other parameter.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

_BOUNDARY: Final = re.compile(r';\s*boundary=("?)([^";\s]+)\1', re.ASCII | re.IGNORECASE)


def with_plain_content_types(application: WSGIApplication) -> WSGIApplication:
    """Wrap an application: it sees no parameter of a request's type but the boundary of a form's parts."""

    def plain_application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        kind, has_more, _ = environ.get("CONTENT_TYPE", "").partition(";")
        if has_more:
            boundary = _BOUNDARY.search(environ["CONTENT_TYPE"])
            environ["CONTENT_TYPE"] = f'{kind.strip()}; boundary="{boundary[2]}"' if boundary else kind.strip()
        return application(environ, start_response)

    return plain_application
