"""One page of a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from django.db.models import Model, QuerySet

from sandbox_api.lists.conditions import matches
from sandbox_api.lists.cursors import after, make_cursor

if TYPE_CHECKING:
    from sandbox_api.lists.parameters import ListParameters
    from sandbox_api.lists.spec import ListSpec

TRow = TypeVar("TRow", bound=Model)


@dataclass(frozen=True, kw_only=True, slots=True)
class Page(Generic[TRow]):
    """`next_cursor` is `None` at the end; `total` counts all rows that match, on this page or not."""

    rows: tuple[TRow, ...]
    next_cursor: str | None
    total: int


def read_page(*, rows: QuerySet[TRow], spec: ListSpec, parameters: ListParameters) -> Page[TRow]:
    """Read one page of the rows that match."""
    matching = rows.filter(matches(spec=spec, conditions=parameters.conditions))
    start = _behind(matching, parameters)
    # One row more than asked for tells whether another page follows.
    found = list(start.order_by(*parameters.order.order_by)[: parameters.limit + 1])
    shown = found[: parameters.limit]
    more = len(found) > len(shown)
    return Page(
        rows=tuple(shown),
        next_cursor=make_cursor(row=shown[-1], spec=spec, order=parameters.order) if more else None,
        total=matching.count(),
    )


def _behind(rows: QuerySet[TRow], parameters: ListParameters) -> QuerySet[TRow]:
    if parameters.after is None:
        return rows
    return rows.filter(after(position=parameters.after, order=parameters.order))
