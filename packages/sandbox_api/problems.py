"""Every error leaves as `application/problem+json` (RFC 9457; contract, section 7)."""

import json
import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.http.response import HttpResponseBase
from rest_framework import exceptions

CONTENT_TYPE = "application/problem+json"

log = logging.getLogger(__name__)


class Unauthorized(exceptions.APIException):
    """401. Unlike the framework's own, it stays a 401 where an endpoint asks for no bearer."""

    status_code = HTTPStatus.UNAUTHORIZED
    default_detail = "Sign in first."


class Conflict(exceptions.APIException):
    """409: the row is in a state in which this can't be done."""

    status_code = HTTPStatus.CONFLICT


class Unavailable(exceptions.APIException):
    """503, to be tried again after a second."""

    status_code = HTTPStatus.SERVICE_UNAVAILABLE
    default_detail = "Try again in a moment."


class PayloadTooLarge(exceptions.APIException):
    """413."""

    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    default_detail = "The request's body is too large."


def invalid(**errors: str) -> exceptions.ValidationError:
    """Make a 422 with one message per field, in the names of the wire."""
    return exceptions.ValidationError({field: [message] for field, message in errors.items()})


def problem_response(
    *,
    status: int,
    detail: str,
    errors: Mapping[str, list[str]] | None = None,
) -> HttpResponse:
    """Make a problem: `{"type", "title", "status", "detail"}`, and for 422 `errors`: field to messages."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    if errors is not None:
        body["errors"] = errors
    response = HttpResponse(json.dumps(body, ensure_ascii=False), status=status, content_type=CONTENT_TYPE)
    if status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = 'Bearer realm="sandbox"'
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        response["Retry-After"] = "1"
    return response


def problem_handler(error: Exception, context: Mapping[str, Any]) -> HttpResponse:
    """Turn whatever a view raised into a problem; the framework calls it for every exception."""
    if isinstance(error, exceptions.ValidationError):
        return problem_response(
            status=HTTPStatus.UNPROCESSABLE_ENTITY,
            detail="Some fields are not valid.",
            errors=_by_field(error.detail),
        )
    translated = _translated(error)
    if translated is None:
        log.error("unexpected error in %s", context.get("view"), exc_info=error)
        return problem_response(status=HTTPStatus.INTERNAL_SERVER_ERROR, detail="Something went wrong on our side.")
    return problem_response(status=translated.status_code, detail=str(translated.detail))


def _translated(error: Exception) -> exceptions.APIException | None:
    match error:
        case exceptions.APIException():
            return error
        case Http404():
            return exceptions.NotFound()
        case RequestDataTooBig():
            return PayloadTooLarge()
        case SuspiciousOperation() | UnreadablePostError():
            return exceptions.ParseError("The request could not be read.")
        case OperationalError():
            log.warning("the database is not available: %s", error)
            return Unavailable("The database is busy.")
        case _:
            return None


def _by_field(detail: Any) -> dict[str, list[str]]:
    if not isinstance(detail, dict):
        return {"body": _messages(detail)}
    return {str(field): _messages(inner) for field, inner in detail.items()}


def _messages(detail: Any) -> list[str]:
    """Flatten what is nested (the second entry of a list is wrong, say) to the field it belongs to."""
    if isinstance(detail, dict):
        return [message for inner in detail.values() for message in _messages(inner)]
    if isinstance(detail, list | tuple):
        return [message for inner in detail for message in _messages(inner)]
    return [str(detail)]


class ProblemMiddleware:
    """Replace every other error page: unknown addresses, refused hosts, failures outside of the views."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, with a problem in place of any other kind of error."""
        response = self.get_response(request)
        if response.status_code < HTTPStatus.BAD_REQUEST or response.get("Content-Type") == CONTENT_TYPE:
            return response
        problem = problem_response(
            status=response.status_code,
            detail=_DETAILS.get(response.status_code, HTTPStatus(response.status_code).description),
        )
        problem["Content-Length"] = str(len(problem.content))
        if response.has_header("Allow"):
            problem["Allow"] = response["Allow"]
        return problem


_DETAILS: dict[int, str] = {
    HTTPStatus.BAD_REQUEST: "The request could not be read.",
    HTTPStatus.NOT_FOUND: "There is nothing at this address.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "Something went wrong on our side.",
}
