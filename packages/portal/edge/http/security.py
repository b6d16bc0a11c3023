"""The security headers of the edge's own responses: those that the inner middlewares set."""

from __future__ import annotations

from csp.middleware import CSPMiddleware
from django.http import HttpRequest, HttpResponse
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.security import SecurityMiddleware


class _SecureRequest(HttpRequest):
    def _get_scheme(self) -> str:
        return "https"


def security_headers(*, https: bool) -> dict[str, str]:
    """The headers that the inner middlewares set on any response, computed once at start by those middlewares."""
    request, bare = _SecureRequest() if https else HttpRequest(), HttpResponse()
    headers: dict[str, str] = {}
    for middleware in (SecurityMiddleware, CSPMiddleware, XFrameOptionsMiddleware):
        headers |= middleware(lambda _: bare).process_response(request, HttpResponse()).headers
    return {name: value for name, value in headers.items() if name not in bare.headers}
