"""The security headers of every response.

They are constant, so they are computed once: by Django's own middlewares, from Django's own settings (`SECURE_…`,
`X_FRAME_OPTIONS`), and the policy from `SECURE_CSP`, which Django knows from 6.0 on.
"""

from collections.abc import Collection, Mapping
from http import HTTPStatus
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase, ResponseHeaders
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.security import SecurityMiddleware
from whitenoise.middleware import WhiteNoiseFileResponse

_POLICY: Final = "Content-Security-Policy"
#: What concerns a page and no static file.
_OF_PAGES: Final = (_POLICY, "X-Frame-Options")
#: In `DEBUG`, Django answers these with pages of its own, which have styles within the page.
_TECHNICAL: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.INTERNAL_SERVER_ERROR})


class SecurityHeaders:
    """Adds the security headers to a response. A header that the view has set stays as it is."""

    def __init__(self) -> None:
        self._http, self._https = _Headers(https=False), _Headers(https=True)
        self._pins_https = settings.SECURE_HSTS_SECONDS > 0
        self._debug = settings.DEBUG

    def add(self, request: HttpRequest, response: HttpResponseBase) -> None:
        """Add the headers that the response lacks."""
        kinds = self._https if self._pins_https and request.is_secure() else self._http
        if isinstance(response, WhiteNoiseFileResponse):
            headers = kinds.file
        elif self._debug and response.status_code in _TECHNICAL:
            headers = kinds.technical
        else:
            headers = kinds.page
        # Django checked these texts when `headers` was made. To set them one by one would check them again for each
        # response, which takes longer than all the rest of a redirect's way through the middleware.
        response.headers._store = headers._store | response.headers._store  # noqa: SLF001  there is no public way to share checked headers


class _SecureRequest(HttpRequest):
    def _get_scheme(self) -> str:
        return "https"


class _Headers:
    """The headers of one scheme: of a page, of a static file, and of Django's technical pages."""

    def __init__(self, *, https: bool) -> None:
        request, bare = _SecureRequest() if https else HttpRequest(), HttpResponse()
        headers: dict[str, str] = {}
        for middleware in (SecurityMiddleware, XFrameOptionsMiddleware):
            headers |= middleware(lambda _: bare).process_response(request, HttpResponse()).headers
        headers = {name: value for name, value in headers.items() if name not in bare.headers}
        headers[_POLICY] = _policy(settings.SECURE_CSP)
        self.page = ResponseHeaders(headers)
        self.technical = ResponseHeaders({name: value for name, value in headers.items() if name != _POLICY})
        self.file = ResponseHeaders({name: value for name, value in headers.items() if name not in _OF_PAGES})


def _policy(directives: Mapping[str, Collection[str] | str]) -> str:
    return "; ".join(
        f"{name} {sources if isinstance(sources, str) else ' '.join(sources)}" for name, sources in directives.items()
    )
