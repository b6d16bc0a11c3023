"""From a hook's result to the record that a page shows, or to the error that becomes the page."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar, overload

from portal.errors import (
    ApiError,
    ApiForbiddenError,
    ApiMalformedError,
    ApiNotFoundError,
    ApiUnauthorizedError,
    ApiUnavailableError,
    without_traceback,
)
from portal.query import PaginatedRes, PaginatedResult, QueryResult

T = TypeVar("T")


def record_of(result: QueryResult[Any]) -> Mapping[str, Any]:
    """The object of a response that stays JSON.

    :raises portal.errors.ApiError: the query failed, or the response is not an object.
    """
    data = result.unwrap()
    if not isinstance(data, dict):
        raise ApiMalformedError("the response is not an object")
    return data


def record_if_answered(result: QueryResult[T]) -> T | None:
    """The record; None if the backend does not answer and no older record is cached.

    For a page that shows a sent form again: an outage must not take away what the user typed.

    :raises portal.errors.ApiError: the query failed in any other way.
    """
    is_unknown = isinstance(result.error, ApiUnavailableError) and result.data is None
    return None if is_unknown else result.unwrap()


@overload
def part_if_answered(result: QueryResult[T]) -> T | None: ...
@overload
def part_if_answered(result: PaginatedResult[T]) -> PaginatedRes[T] | None: ...
def part_if_answered(result: QueryResult[Any] | PaginatedResult[Any]) -> Any:
    """A record or rows that a page can do without; None if there are none to show.

    :raises portal.errors.ApiUnauthorizedError: the user has to sign in again.
    """
    if isinstance(result.error, ApiUnauthorizedError):
        raise result.error
    try:
        return result.unwrap()
    except ApiError as error:
        without_traceback(error)
        return None


def has_answer(result: QueryResult[Any] | PaginatedResult[Any]) -> bool:
    """Whether there is something to show."""
    try:
        result.unwrap()
    except ApiError as error:
        without_traceback(error)
        return False
    return True


def is_not_there(result: QueryResult[Any] | PaginatedResult[Any]) -> bool:
    """Whether the backend has no such part, or not for this user: the page then is as if nobody had thought of it."""
    return isinstance(result.error, ApiNotFoundError | ApiForbiddenError)


def has_failed(result: QueryResult[Any] | PaginatedResult[Any]) -> bool:
    """Whether a part of a page could not be loaded. A backend that has no such part, or not for this user, is fine."""
    return not is_not_there(result) and not has_answer(result)


def oldest_as_of(*results: QueryResult[Any] | PaginatedResult[Any]) -> datetime | None:
    """When the oldest data of these results were fetched; None if they have no data."""
    return min((result.as_of for result in results if result.as_of is not None), default=None)
