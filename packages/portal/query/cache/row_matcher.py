"""Decides which variants of a list show a written row, by the mutation's `matches`."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from portal.rows import copied

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from portal.query.cache.pages import JsonRow
    from portal.query.cache.write_records import Kind
    from portal.query.endpoints import Registry

logger = logging.getLogger("portal.query")


@dataclass(frozen=True, slots=True)
class DeclaredMatches:
    """The `matches` of all mutations that change one list.

    :param endpoint: key of the list.
    """

    endpoint: str
    registry: Registry

    def __call__(self, kind: Kind, by: str, params: Mapping[str, Any], row: JsonRow) -> bool | None:
        """Whether the row belongs in the variant with these parameters; None where only the server knows.

        Without a `matches`, the list without parameters takes every row; whether a row meets a filter, and where it
        stands in a sorted list, only the server knows.
        """
        matches = self._matches(kind, by)
        if matches is None:
            return None if params or by not in self.registry.mutations else True
        try:
            # Copies: a function that changes one must not change the list, nor what its query asks for.
            belongs = matches(dict(params), copied(row))
        except Exception:
            logger.warning(
                "%s: `matches` raised for %s; fetching the list anew instead. It should give True, False or None"
                " for every combination of parameters",
                by,
                self.endpoint,
                exc_info=True,
            )
            return None
        return belongs if isinstance(belongs, bool) else None

    def _matches(self, kind: Kind, by: str) -> Callable[[Any, Any], bool | None] | None:
        hook = self.registry.mutations.get(by)
        # A list has one helper of each kind at most (portal.query.E008).
        for helper in hook.helpers if hook else ():
            if helper.kind == kind and helper.target == self.endpoint:
                return helper.matches
        return None
