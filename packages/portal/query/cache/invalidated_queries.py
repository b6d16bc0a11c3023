"""Which queries of an endpoint a write, or a call of `invalidate`, makes stale.

A mistake in the parameters would invalidate nothing, and nobody would notice. So parameters that fit no query of the
endpoint select all of its queries, with a warning.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from portal.errors import ApiNotFoundError, UsageError
from portal.query.cache.write_records import ALL_QUERIES, InvalidatedQueries
from portal.query.endpoints import address, checked_params, given_params, parameter_names

if TYPE_CHECKING:
    from portal.query.endpoints import Registry

logger = logging.getLogger("portal.query")


def exact_query(given: object, *, endpoint: str, by: str, registry: Registry) -> InvalidatedQueries:
    """The one query with exactly these parameters.

    :param by: what gave them, for the warning.
    """
    query = registry.queries.get(endpoint)
    if not isinstance(given, Mapping):
        return _all_queries(by, endpoint, f"{endpoint}: params should be a mapping, not {type(given).__name__}")
    try:
        params = given_params(given, endpoint=endpoint)
        if query is not None:
            checked_params(given=params, declared=query.params, endpoint=endpoint)
            # If the parameters are not typed, only the address shows whether one is missing.
            address(url=query.url, params=params, endpoint=endpoint)
    except (UsageError, ApiNotFoundError) as error:
        return _all_queries(by, endpoint, error)
    return InvalidatedQueries(params=params)


def matching_queries(given: Mapping[str, object], *, endpoint: str, by: str, registry: Registry) -> InvalidatedQueries:
    """All queries that have these parameters among theirs.

    :raises UsageError: an address can't carry a value.
    """
    params = given_params(given, endpoint=endpoint)
    query = registry.queries.get(endpoint)
    declared = query.params if query is not None else None
    known = parameter_names(declared)
    unknown = ", ".join(name for name in params if known is not None and name not in known)
    if query is not None and known is not None and unknown:
        return _all_queries(
            by, endpoint, f"{unknown} is no parameter of it; it knows {', '.join(sorted(known)) or 'none'}"
        )
    return InvalidatedQueries(params=params, exact=False)


def _all_queries(by: str, endpoint: str, reason: object) -> InvalidatedQueries:
    logger.warning("%s names no query of %s, so all of it is fetched anew: %s", by, endpoint, reason)
    return ALL_QUERIES
