"""Errors for programs: `application/problem+json` (RFC 9457), which scripts of a page show to people."""

from __future__ import annotations

import json

from django.http import HttpRequest, HttpResponse

CONTENT_TYPE = "application/problem+json"


def problem(request: HttpRequest, *, status: int, title: str, detail: str = "") -> HttpResponse:  # noqa: ARG001  one signature for all answers to a request
    """A problem document: `{"type", "title", "status", "detail"}`."""
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    return HttpResponse(json.dumps(body, ensure_ascii=False), status=status, content_type=CONTENT_TYPE)
