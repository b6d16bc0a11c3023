"""A backend whose rows tell their versions, and to whom they were shown."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from tests.portal.query.fakes import FakeBackend


@dataclass
class VersionedBackend(FakeBackend):
    """Gives every change of a row a higher version."""

    numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def _do(self, token: str | None, method: str, path: str, params: dict[str, Any], body: Any) -> Any:
        if method in {"POST", "PATCH"}:
            body = {**body, "version": next(self.numbers)}
        return self._as_shown_to(self.users.get(token or ""), super()._do(token, method, path, params, body))

    def _as_shown_to(self, user: str | None, answer: Any) -> Any:
        """Every row names the user who saw it."""
        if isinstance(answer, dict) and "items" in answer:
            return {**answer, "items": [{**row, "shown_to": user} for row in answer["items"]]}
        return {**answer, "shown_to": user} if isinstance(answer, dict) else answer

    def change_row(self, index: int) -> dict[str, Any]:
        row = self.rows[index % len(self.rows)]
        row["name"], row["version"] = f"{row['name']}!", next(self.numbers)
        return row
