"""Cursors: signed keyset positions on the sort column and the id.

A cursor says after which place a page begins, not after how many rows. So rows that are inserted or deleted between
two pages neither repeat others nor hide them, also where the row that it was made from is gone, and also among rows
with the same value in the sort column, which are told apart by their ids.

It is signed, so that a position that was never given out is an error of the caller and not a question to the
database.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.core import signing
from django.core.exceptions import ValidationError
from django.db.models import Field, Model, Q

if TYPE_CHECKING:
    from sandbox_api.lists.spec import ListSpec, SortOrder


@dataclass(frozen=True, kw_only=True, slots=True)
class Position:
    """A place in a sort order: right after the row with this value and id, whether it is still there or not."""

    value: Any
    id: str


def make_cursor(*, row: Model, spec: ListSpec, order: SortOrder) -> str:
    """Give the cursor of the place after `row`."""
    text = _column(type(row), order).value_to_string(row)
    return _signer(spec).sign_object([order.name, text, row.pk])


def read_cursor(*, cursor: str, spec: ListSpec, order: SortOrder, model: type[Model]) -> Position | None:
    """Give the position; `None` if it was not signed here, or belongs to another list or sort order."""
    try:
        name, text, row_id = _signer(spec).unsign_object(cursor)
        if name != order.name:
            return None
        return Position(value=_column(model, order).to_python(text), id=row_id)
    except (signing.BadSignature, ValidationError, ValueError, TypeError):
        # The latter three: signed by a former release, with another content.
        return None


def after(*, position: Position, order: SortOrder) -> Q:
    """Give the condition for the rows behind a position.

    The first part repeats what the second implies; with it, a database finds the start in the column's index.
    """
    beyond = "lt" if order.descending else "gt"
    return Q(**{f"{order.column}__{beyond}e": position.value}) & (
        Q(**{f"{order.column}__{beyond}": position.value}) | Q(**{f"id__{beyond}": position.id})
    )


def _column(model: type[Model], order: SortOrder) -> Field[Any, Any]:
    column = model._meta.get_field(order.column)  # noqa: SLF001 - Django's documented API
    if not isinstance(column, Field):
        raise TypeError(f"{order.column} is a relation: a list can't be sorted by it")
    return column


def _signer(spec: ListSpec) -> signing.Signer:
    return signing.Signer(salt=f"sandbox_api.cursor.{spec.resource}", sep=".")
