"""A backend whose reads are behind its writes: a read replica, or a search index."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.portal.query.fakes import FakeBackend

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class LaggingBackend(FakeBackend):
    """Reads show the rows as they were `lag_s` ago. A write answers with what it wrote.

    :param past: when the rows became what, oldest first; before that they were what they are at the first call.
    """

    clock: Callable[[], float] = field(kw_only=True)
    lag_s: float = 1.0
    past: list[tuple[float, list[dict[str, Any]]]] = field(default_factory=list)

    def _do(self, token: str | None, method: str, path: str, params: dict[str, Any], body: Any) -> Any:
        if not self.past:
            self.note(at=float("-inf"))
        if method == "GET":
            now, self.rows = self.rows, self.rows_then()
            try:
                return super()._do(token, method, path, params, body)
            finally:
                self.rows = now
        answer = super()._do(token, method, path, params, body)
        self.note(at=self.clock())
        return copy.deepcopy(answer)

    def note(self, *, at: float) -> None:
        """Note that the rows are what they are now from this time on."""
        self.past.append((at, copy.deepcopy(self.rows)))

    def rows_then(self) -> list[dict[str, Any]]:
        """The rows that a read shows now."""
        return copy.deepcopy([rows for at, rows in self.past if at <= self.clock() - self.lag_s][-1])

    def changed_by_someone_else(self, change: Callable[[list[dict[str, Any]]], object]) -> None:
        """Change the rows in place, without the cache knowing."""
        if not self.past:
            self.note(at=float("-inf"))
        change(self.rows)
        self.note(at=self.clock())
