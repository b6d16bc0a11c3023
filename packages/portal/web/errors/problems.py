"""Errors for programs: `application/problem+json` (RFC 9457), which scripts of a page show to people."""

from __future__ import annotations

import json

from django.http import HttpRequest, HttpResponse

from portal.web.request import request_id_of

CONTENT_TYPE = "application/problem+json"


def problem(request: HttpRequest, *, status: int, title: str, detail: str = "") -> HttpResponse:
    """A problem document: `{"type", "title", "status", "detail", "requestId"}`."""
    body = {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": detail,
        **({"requestId": request_id} if (request_id := request_id_of(request)) else {}),
    }
    return HttpResponse(json.dumps(body, ensure_ascii=False), status=status, content_type=CONTENT_TYPE)
