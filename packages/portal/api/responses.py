"""What a backend's answer means: data, or one of the errors that a page can show. Pure."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NoReturn

from portal.config.wire_names import PROBLEM_DETAIL_FIELD, PROBLEM_ERRORS_FIELD, PROBLEM_TITLE_FIELD
from portal.errors import (
    ApiClientError,
    ApiConflictError,
    ApiError,
    ApiForbiddenError,
    ApiMalformedError,
    ApiNotFoundError,
    ApiUnauthorizedError,
    ApiUnavailableError,
    ApiValidationError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.api.transport import RawResponse

#: Statuses below 500 that say "later" rather than "no".
_LATER = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS})

_BY_STATUS: dict[int, type[ApiError]] = {
    HTTPStatus.UNAUTHORIZED: ApiUnauthorizedError,
    HTTPStatus.FORBIDDEN: ApiForbiddenError,
    HTTPStatus.NOT_FOUND: ApiNotFoundError,
    HTTPStatus.GONE: ApiNotFoundError,
    HTTPStatus.CONFLICT: ApiConflictError,
    HTTPStatus.PRECONDITION_FAILED: ApiConflictError,
}


#: A body without one of these has no half of a surrogate pair: escapes, a half in UTF-8, a byte of UTF-16 and UTF-32.
_SIGNS_OF_HALVES = (rb"\ud", rb"\uD", b"\xed", b"\0")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiResponse:
    """A success.

    :param data: the JSON body; None where there is none.
    """

    status: int
    data: Any
    headers: Mapping[str, str]


def read_answer(reply: RawResponse) -> ApiResponse:
    """The answer as data.

    :raises ApiError: the class of the tree that fits its status (see :mod:`portal.errors`).
    :raises ApiMalformedError: a success whose body is not JSON, or a redirect, which is never followed.
    """
    if not HTTPStatus.OK <= reply.status < HTTPStatus.MULTIPLE_CHOICES:
        _raise_error(reply)
    if not reply.content:
        return ApiResponse(status=reply.status, data=None, headers=reply.headers)
    try:
        data = reply.json()
    except ValueError as error:
        raise ApiMalformedError("The backend's answer is not JSON.", status=reply.status) from error
    return ApiResponse(status=reply.status, data=data, headers=reply.headers)


def read_json(content: bytes) -> Any:
    """Parse JSON as RFC 8259 has it: no NaN, no infinities; whole numbers of any size stay whole.

    All its text can be written: half of a surrogate pair, a character to JSON alone, is U+FFFD.

    :raises ValueError: it is no JSON, or too deeply nested to be read.
    """
    try:
        data = _parsed(content)
        if any(sign in content for sign in _SIGNS_OF_HALVES):
            # Half of a pair stands within one text, never across two: replaced in the whole, parsed once more.
            data = _parsed(writable(json.dumps(data, ensure_ascii=False)))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return data


def writable(text: str) -> str:
    """The text with U+FFFD in the place of half surrogate pairs, as browsers write it; two halves become one."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def says_json(reply: RawResponse) -> bool:
    """Whether an answer that could not be read as JSON was meant to be JSON, by its type or by how it begins.

    A page is none, whatever type the proxy that made it gave it.
    """
    beginning = reply.content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    kind = reply.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    return beginning == b"{" or (beginning != b"<" and (kind == "application/json" or kind.endswith("+json")))


def retry_after_seconds(headers: Mapping[str, str], *, now: datetime | None = None) -> float | None:
    """`Retry-After`, which is seconds or a date (RFC 9110, section 10.2.3); None where absent or malformed."""
    value = headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdigit():
        seconds = float(value)
        return seconds if math.isfinite(seconds) else None
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())


def _raise_error(reply: RawResponse) -> NoReturn:
    problem = _problem(reply.content)
    detail = next(
        (problem[name] for name in (PROBLEM_DETAIL_FIELD, PROBLEM_TITLE_FIELD) if isinstance(problem.get(name), str)),
        "",
    )
    status = reply.status
    if status in {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}:
        raise ApiValidationError(detail, status=status, errors=_field_errors(problem))
    retry_after = retry_after_seconds(reply.headers)
    if status in _LATER or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise ApiUnavailableError(detail, status=status, retry_after=retry_after)
    if status < HTTPStatus.BAD_REQUEST:
        raise ApiMalformedError("The backend answered with a redirect.", status=status)
    raise _BY_STATUS.get(status, ApiClientError)(detail, status=status, retry_after=retry_after)


def _problem(content: bytes) -> dict[str, Any]:
    try:
        body = read_json(content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _field_errors(problem: Mapping[str, Any]) -> dict[str, list[str]]:
    """The messages by field; whatever does not have that shape is left out, a single text counts as one."""
    given = problem.get(PROBLEM_ERRORS_FIELD)
    if not isinstance(given, dict):
        return {}
    found = {}
    for name, messages in given.items():
        texts = [messages] if isinstance(messages, str) else messages
        if isinstance(texts, list) and (kept := [text for text in texts if isinstance(text, str)]):
            found[name] = kept
    return found


def _parsed(source: bytes | str) -> Any:
    return json.loads(source, parse_constant=_no_constant, parse_float=_finite)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is too large")
    return number


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
