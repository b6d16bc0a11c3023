"""Of a request's `Content-Type`, its type and its boundary alone reach the application.

Django reads the other parameters while it makes the request, before any middleware, and an odd one raises there: the
name of a codec that is no text encoding (`charset=hex`) beside a query, an unknown one in RFC 2231's form. Then there
is no page, no request id and no security header. Nothing is lost: what browsers send to our pages is UTF-8, and the
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
    """The same application; it sees no parameter of a request's type but the boundary of a form's parts."""

    def plain_application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        kind, has_more, _ = environ.get("CONTENT_TYPE", "").partition(";")
        if has_more:
            boundary = _BOUNDARY.search(environ["CONTENT_TYPE"])
            environ["CONTENT_TYPE"] = f'{kind.strip()}; boundary="{boundary[2]}"' if boundary else kind.strip()
        return application(environ, start_response)

    return plain_application
