"""Where a written row belongs, as its mutation declares it (`matches`)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from portal.query.cache.merged_pages import copied

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from portal.query.cache.pages import Row
    from portal.query.cache.patches import Judge, Kind
    from portal.query.endpoints import Registry

logger = logging.getLogger("portal.query")


def judge_of(endpoint: str, *, registry: Registry) -> Judge:
    """What decides for the list `endpoint` in which of its variants a row belongs.

    Without a `matches`, the list without parameters takes every row; of a filter or a sort order only the server
    knows whether the row meets it, and where.
    """

    def judge(kind: Kind, by: str, params: Mapping[str, Any], row: Row) -> bool | None:
        matches = _matches(registry, kind=kind, by=by, endpoint=endpoint)
        if matches is None:
            return None if params or by not in registry.mutations else True
        try:
            # A copy: what it does to the row must not show in the list.
            verdict = matches(params, copied(row))
        except Exception:
            logger.warning(
                "%s: `matches` raised for %s; fetching the list anew instead. It should give True, False or None"
                " for every combination of parameters",
                by,
                endpoint,
                exc_info=True,
            )
            return None
        return verdict if isinstance(verdict, bool) else None

    return judge


def _matches(registry: Registry, *, kind: Kind, by: str, endpoint: str) -> Callable[[Any, Any], bool | None] | None:
    hook = registry.mutations.get(by)
    # There is one at most of each kind for a list (portal.query.E008).
    for helper in hook.helpers if hook else ():
        if helper.kind == kind and helper.target == endpoint:
            return helper.matches
    return None
