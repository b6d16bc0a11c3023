"""What the backend's response means: data, or one of the errors that a page can show. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NoReturn

from portal.api.backend import current_backend, read_error
from portal.errors import (
    ApiClientError,
    ApiConflictError,
    ApiError,
    ApiForbiddenError,
    ApiMalformedError,
    ApiNotFoundError,
    ApiPreconditionFailedError,
    ApiUnauthorizedError,
    ApiUnavailableError,
    ApiValidationError,
    without_traceback,
)
from portal.rows import check_depth, may_be_deep, read_json

if TYPE_CHECKING:
    import requests

#: Statuses below 500 that say "later" rather than "no".
_LATER: Final = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS})

_BY_STATUS: Final[dict[int, type[ApiError]]] = {
    HTTPStatus.UNAUTHORIZED: ApiUnauthorizedError,
    HTTPStatus.FORBIDDEN: ApiForbiddenError,
    HTTPStatus.NOT_FOUND: ApiNotFoundError,
    HTTPStatus.GONE: ApiNotFoundError,
    HTTPStatus.CONFLICT: ApiConflictError,
    HTTPStatus.PRECONDITION_FAILED: ApiPreconditionFailedError,
}


@dataclass(frozen=True, kw_only=True)
class RawResponse:
    """A whole response, as it came."""

    status: int
    headers: Mapping[str, str]
    content: bytes = field(repr=False)

    @classmethod
    def of(cls, response: requests.Response) -> RawResponse:
        """The same object for each look at a response of `requests`, so that its JSON is parsed once."""
        made = cls(status=response.status_code, headers=response.headers, content=response.content or b"")
        kept: RawResponse = vars(response).setdefault("_raw_response", made)
        return kept

    @property
    def is_success(self) -> bool:
        """Whether the status is of the 2xx class."""
        return is_success(self.status)

    def json(self) -> Any:
        """The body, parsed as JSON once.

        :raises ValueError: it is not JSON.
        """
        if isinstance(self.parsed, ValueError):
            raise self.parsed
        return self.parsed

    @property
    def json_error(self) -> ValueError | None:
        """Why the body of a success is not JSON; None where it is, where there is no body, or for another status."""
        return self.parsed if self.is_success and self.content and isinstance(self.parsed, ValueError) else None

    @cached_property
    def parsed(self) -> Any:
        """The body, parsed as JSON; the error if it is not JSON."""
        try:
            return read_json(self.content)
        except ValueError as error:
            return without_traceback(error)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiResponse:
    """A success.

    :param data: the JSON body; None where there is none.
    """

    status: int
    data: Any
    headers: Mapping[str, str]


def is_success(status: int) -> bool:
    """Whether a status is of the 2xx class."""
    return HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES


def read_response(response: RawResponse) -> ApiResponse:
    """The data of a success.

    :raises ApiError: the class of the tree that fits the status (see :mod:`portal.errors`).
    :raises ApiMalformedError: a success whose body is not JSON or nested more than 64 levels deep; or a redirect,
        which is never followed.
    """
    if not response.is_success:
        _raise_error(response)
    if not response.content:
        return ApiResponse(status=response.status, data=None, headers=response.headers)
    try:
        data = response.json()
    except ValueError as error:
        raise ApiMalformedError("The backend's answer is not JSON.", status=response.status) from error
    try:
        if may_be_deep(response.content):
            check_depth(data)
    except ValueError as error:
        raise ApiMalformedError(f"The backend's answer is {error}.") from error
    return ApiResponse(status=response.status, data=data, headers=response.headers)


def claims_json(response: RawResponse) -> bool:
    """Whether a body that is not JSON was meant to be JSON, by its type or by its first character.

    A body that begins like HTML is a page, whatever type its proxy gave it.
    """
    beginning = response.content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
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


def _raise_error(response: RawResponse) -> NoReturn:
    body = None if isinstance(response.parsed, ValueError) else response.parsed
    problem = read_error(current_backend(), response.status, body)
    status, detail = problem.status, problem.detail
    if status in {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}:
        raise ApiValidationError(detail, status=status, errors=_field_errors(problem.errors))
    retry_after = retry_after_seconds(response.headers)
    if status in _LATER or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise ApiUnavailableError(detail, status=status, retry_after=retry_after)
    if status < HTTPStatus.BAD_REQUEST:
        raise ApiMalformedError("The backend answered with a redirect.", status=status)
    raise _BY_STATUS.get(status, ApiClientError)(detail, status=status, retry_after=retry_after)


def json_object(response: RawResponse) -> dict[str, Any]:
    """The body if it is a JSON object, else an empty one."""
    return response.parsed if isinstance(response.parsed, dict) else {}


def _field_errors(given: object) -> dict[str, list[str]]:
    """The messages by field. A single text counts as one of several; anything else is left out."""
    if not isinstance(given, Mapping):
        return {}
    found = {}
    for name, messages in given.items():
        texts = [messages] if isinstance(messages, str) else messages
        if (
            isinstance(name, str)
            and isinstance(texts, list | tuple)
            and (kept := [text for text in texts if isinstance(text, str)])
        ):
            found[name] = kept
    return found
