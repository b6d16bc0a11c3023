"""From a hook's result to the record that a page shows, or to the error that becomes the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal.errors import ApiMalformedError, ApiNotFoundError, ApiUnavailableError
from portal.query import Record, to_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from portal.query import PaginatedResult, QueryResult


def as_mapping(record: Any) -> Any:
    """A record by the names on the wire, for presenters that read JSON."""
    return to_json(record) if isinstance(record, Record) else record


def record_of(result: QueryResult[Any]) -> Mapping[str, Any]:
    """The record that the page is about.

    :raises portal.errors.ApiError: the query failed, or the response is not an object.
    """
    data = as_mapping(result.unwrap())
    if not isinstance(data, dict):
        raise ApiMalformedError("the response is not an object")
    return data


def record_if_exists(result: QueryResult[Any]) -> Mapping[str, Any] | None:
    """The record; None if the backend has none (404).

    :raises portal.errors.ApiError: the query failed in any other way.
    """
    return None if isinstance(result.error, ApiNotFoundError) else record_of(result)


def record_if_answered(result: QueryResult[Any]) -> Mapping[str, Any]:
    """The record; empty if the backend does not answer and no older record is cached.

    For a page that shows a sent form again: an outage must not take away what the user typed.

    :raises portal.errors.ApiError: the query failed in any other way.
    """
    is_unknown = isinstance(result.error, ApiUnavailableError) and result.data is None
    return {} if is_unknown else record_of(result)


def oldest_as_of(*results: QueryResult[Any] | PaginatedResult[Any]) -> datetime | None:
    """When the oldest data of these results were fetched; None if they have no data."""
    return min((result.as_of for result in results if result.as_of is not None), default=None)
