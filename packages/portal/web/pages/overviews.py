"""Overviews: a summary of the backend's own, or where it has none, the lists that know their totals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal.config.current import portal_config
from portal.query import use_queries
from portal.web.present.results import optional

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest

    from portal.config.portal_config import PortalConfig
    from portal.query import PaginatedResult, QueryResult, QuerySpec


class _Lacking:
    """The summaries that this process's backend was seen to lack, for the configuration in force."""

    def __init__(self) -> None:
        self._made: tuple[PortalConfig, set[str]] | None = None

    def endpoints(self) -> set[str]:
        config = portal_config()
        made = self._made
        if made is None or made[0] is not config:
            made = self._made = (config, set())
        return made[1]


_lacking = _Lacking()


def summary_or_lists(
    request: HttpRequest,
    *,
    summary: QuerySpec[QueryResult[Any]],
    lists: Sequence[QuerySpec[PaginatedResult[Any]]],
) -> tuple[QueryResult[Any], list[PaginatedResult[Any]]]:
    """Ask for the summary, and for the lists only where it says nothing: side by side, in one round of calls.

    A backend that was seen to lack it is asked for all at once: it may have one by now.

    :returns: the summary's result, and those of the lists; none where there is a summary.
    :raises portal.errors.ApiError: the summary failed in any other way than that there is none.
    """
    endpoint, lacking = summary.query.key.endpoint, _lacking.endpoints()
    if endpoint in lacking:
        specs: list[QuerySpec[Any]] = [summary, *lists]
        found, *totals = use_queries(request, specs)
        if optional(found):
            lacking.discard(endpoint)
            return found, []
        return found, totals
    [found] = use_queries(request, [summary])
    if optional(found):
        return found, []
    lacking.add(endpoint)
    return found, use_queries(request, list(lists))
