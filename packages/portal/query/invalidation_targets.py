"""Which queries of an endpoint parameters name, held against what the endpoint declares.

A slip there would mark nothing as stale, and nobody would notice: so what fits no query means
all of them, with a warning.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, is_typeddict

from portal.errors import ApiNotFoundError, UsageError
from portal.query.cache.patches import Outdated
from portal.query.endpoints import address, checked_params, given_params

if TYPE_CHECKING:
    from portal.query.endpoints import Registry

logger = logging.getLogger("portal.query")


def one_query(given: object, *, endpoint: str, by: str, registry: Registry) -> Outdated:
    """The one query with exactly these parameters.

    :param by: who gave them, for the warning.
    """
    query = registry.queries.get(endpoint)
    try:
        if not isinstance(given, Mapping):
            raise UsageError(f"{endpoint}: params should be a mapping, not {type(given).__name__}")  # noqa: TRY301  as a misfit
        params = given_params(given, endpoint=endpoint)
        if query is not None:
            checked_params(given=params, declared=query.params, endpoint=endpoint)
            # Of parameters that are not typed, only the address tells whether all are there.
            address(url=query.url, params=params, endpoint=endpoint)
    except (UsageError, ApiNotFoundError) as error:
        _warn(by, endpoint, error)
        return Outdated()
    return Outdated(params=params)


def matching_queries(given: Mapping[str, object], *, endpoint: str, by: str, registry: Registry) -> Outdated:
    """All queries that have these parameters among theirs.

    :raises UsageError: a value is none that an address can carry.
    """
    params = given_params(given, endpoint=endpoint)
    query = registry.queries.get(endpoint)
    declared = query.params if query is not None else None
    known = declared.__annotations__ if is_typeddict(declared) else params if declared is not None else {}
    unknown = [name for name in params if name not in known]
    if query is not None and unknown:
        _warn(
            by, endpoint, f"{', '.join(unknown)} is no parameter of it; it knows {', '.join(sorted(known)) or 'none'}"
        )
        return Outdated()
    return Outdated(params=params, exact=False)


def _warn(by: str, endpoint: str, reason: object) -> None:
    logger.warning("%s names no query of %s, so all of it is fetched anew: %s", by, endpoint, reason)
