"""The edge's own responses: redirects, problem documents, and the methods for OPTIONS."""

import json
from http import HTTPStatus

from django.http import HttpResponse
from django.http.response import ResponseHeaders

from portal.edge.decisions import Options, Redirect, Reject

#: The headers that rows 2 to 4 depend on.
_VARY = "Cookie, Accept, Sec-Fetch-Mode, X-Requested-With, HX-Request"
_VARY_BY_LANGUAGE = "Accept-Language, Cookie"
_ALLOW = "GET, HEAD, POST, OPTIONS"
_HTML = "text/html; charset=utf-8"
PROBLEM_CONTENT_TYPE = "application/problem+json"
_DETAILS = {
    400: "The address is malformed.",
    401: "Sign in to continue.",
    403: "You may not open this.",
    404: "Nothing stands at this address.",
}


_ALWAYS = {"Cache-Control": "private, no-store"}
_HEADERS = ResponseHeaders(_ALWAYS)
_VARYING = ResponseHeaders(_ALWAYS | {"Vary": _VARY})
_VARYING_BY_LANGUAGE = ResponseHeaders(_ALWAYS | {"Vary": _VARY_BY_LANGUAGE})


def response_of(decision: Redirect | Reject | Options, *, request_id: str = "") -> HttpResponse:
    """The response of a decision for which no view runs.

    :param request_id: for the problem document; empty: the document names none.
    """
    if isinstance(decision, Redirect):
        return _redirect(decision)
    if isinstance(decision, Reject):
        return _problem(decision, request_id)
    response = _respond(204, b"", _HTML, _HEADERS)
    response.headers["Allow"] = _ALLOW
    del response.headers["Content-Type"]
    return response


def _redirect(decision: Redirect) -> HttpResponse:
    headers = _VARYING
    if decision.status == HTTPStatus.TEMPORARY_REDIRECT:
        headers = _VARYING_BY_LANGUAGE if decision.varies_by_language else _HEADERS
    response = _respond(decision.status, b"", _HTML, headers)
    response.headers["Location"] = decision.location
    return response


def _problem(decision: Reject, request_id: str) -> HttpResponse:
    status = decision.status
    document = problem_document(
        status=status, title=HTTPStatus(status).phrase, detail=_DETAILS[status], request_id=request_id
    )
    response = _respond(status, document, PROBLEM_CONTENT_TYPE, _VARYING)
    if decision.hx_redirect is not None:
        response.headers["HX-Redirect"] = decision.hx_redirect
    return response


def problem_document(*, status: int, title: str, detail: str, request_id: str | None) -> bytes:
    """An error for programs (RFC 9457): `{"type", "title", "status", "detail", "requestId"}`.

    :param request_id: left out where there is none.
    """
    document = {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": detail,
        **({"requestId": request_id} if request_id else {}),
    }
    return json.dumps(document, ensure_ascii=False).encode()


def _respond(status: int, content: bytes, content_type: str, headers: ResponseHeaders) -> HttpResponse:
    response = HttpResponse(content, status=status, content_type=content_type)
    # Django checked these texts when `headers` was made. Setting them one by one would check them again for each
    # response, which costs more than the decision.
    response.headers._store.update(headers._store)  # noqa: SLF001  there is no public way to share checked headers
    return response
