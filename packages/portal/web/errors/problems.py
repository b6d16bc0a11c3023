"""Errors for programs: `application/problem+json` (RFC 9457). The scripts of a page show them to people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse

from portal.edge import PROBLEM_CONTENT_TYPE, problem_document

if TYPE_CHECKING:
    from django.http import HttpRequest


def problem(request: HttpRequest, *, status: int, title: str, detail: str = "") -> HttpResponse:
    """A response with a problem document. It has the request's id where the request passed our middleware."""
    document = problem_document(
        status=status, title=title, detail=detail, request_id=getattr(request, "request_id", None)
    )
    return HttpResponse(document, status=status, content_type=PROBLEM_CONTENT_TYPE)
