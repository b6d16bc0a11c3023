"""From a query's result to what a view can present, or the error that becomes its page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal.errors import ApiMalformedError, ApiNotFoundError, ApiUnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from portal.query import PaginatedResult, QueryResult


def record_of(result: QueryResult[Any]) -> Mapping[str, Any]:
    """The one record that the page is about.

    :raises portal.errors.ApiError: the backend failed or refused, or its answer is no object.
    """
    data = result.unwrap()
    if not isinstance(data, dict):
        raise ApiMalformedError("the answer is no object")
    return data


def record_beside_form(result: QueryResult[Any]) -> Mapping[str, Any]:
    """The record that a form which was sent is about: empty while the backend does not answer.

    What somebody typed stands in the form, and is not given up for what the record says.

    :raises portal.errors.ApiError: the backend refused, as in :func:`record_of`.
    """
    away = isinstance(result.error, ApiUnavailableError) and result.data is None
    return {} if away else record_of(result)


def optional(result: QueryResult[Any]) -> Mapping[str, Any] | None:
    """A record that the page can do without: None where the backend has no such endpoint.

    :raises portal.errors.ApiError: it failed or refused in any other way.
    """
    return None if isinstance(result.error, ApiNotFoundError) else record_of(result)


def oldest(*results: QueryResult[Any] | PaginatedResult[Any]) -> datetime | None:
    """When the oldest of what these results hold was fetched; None where they hold nothing."""
    return min((result.as_of for result in results if result.as_of is not None), default=None)
