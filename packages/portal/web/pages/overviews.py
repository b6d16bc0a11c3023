"""Overviews: numbers from the backend's summary, or the totals of its lists if it has no summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal.config.current import portal_config
from portal.query import use_queries
from portal.web.present import record_if_exists

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest

    from portal.config.portal_config import PortalConfig
    from portal.query import PaginatedResult, QueryResult, QuerySpec


class _MissingSummaries:
    """The summary endpoints that the backend answered with a 404, for the configuration in force."""

    def __init__(self) -> None:
        self._seen: tuple[PortalConfig, set[str]] | None = None

    def endpoints(self) -> set[str]:
        config = portal_config()
        seen = self._seen
        if seen is None or seen[0] is not config:
            seen = self._seen = (config, set())
        return seen[1]


_missing = _MissingSummaries()


def summary_or_lists(
    request: HttpRequest,
    *,
    summary: QuerySpec[QueryResult[Any]],
    lists: Sequence[QuerySpec[PaginatedResult[Any]]],
) -> tuple[QueryResult[Any], list[PaginatedResult[Any]]]:
    """Read the summary, and the lists if there is no summary.

    Once a summary was missing, all are read side by side: the backend may have the summary by now.

    :returns: the summary's result and those of the lists; no lists if there is a summary.
    :raises portal.errors.ApiError: the summary failed in any other way than with a 404.
    """
    endpoint, missing = summary.query.key.endpoint, _missing.endpoints()
    if endpoint in missing:
        specs: list[QuerySpec[Any]] = [summary, *lists]
        found, *totals = use_queries(request, specs)
        if record_if_exists(found):
            missing.discard(endpoint)
            return found, []
        return found, totals
    [found] = use_queries(request, [summary])
    if record_if_exists(found):
        return found, []
    missing.add(endpoint)
    return found, use_queries(request, list(lists))
