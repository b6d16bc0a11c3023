"""The query parameters of a list, checked: `cursor`, `limit`, `q`, `sort` and the resource's filters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rest_framework.exceptions import ValidationError

from sandbox_api.folding import fold
from sandbox_api.lists.cursors import Position, read_cursor
from sandbox_api.lists.spec import DEFAULT_LIMIT, DEFAULT_SORT, MAX_LIMIT, ListSpec, SortOrder
from sandbox_api.texts import has_control_characters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.db.models import Model

_MAX_TEXT_LENGTH = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class ListParameters:
    """What a caller asked of a list."""

    order: SortOrder
    limit: int
    words: tuple[str, ...]
    """Of `q`, folded; a row has all of them."""
    filters: tuple[tuple[str, str], ...]
    """Column and value."""
    after: Position | None


def read_parameters(*, query: Mapping[str, str], spec: ListSpec, model: type[Model]) -> ListParameters:
    """Check the parameters of a request. Those that the list does not know are ignored.

    :raises ValidationError: naming each parameter that is wrong, all at once.
    """
    errors: dict[str, list[str]] = {}
    order = _order(query.get("sort") or DEFAULT_SORT, spec)
    if order is None:
        allowed = ", ".join(sign + name for name in spec.sorts for sign in ("", "-"))
        errors["sort"] = [f"Sort by one of: {allowed}."]
    limit = _limit(query.get("limit"))
    if limit is None:
        errors["limit"] = [f"Ask for 1 to {MAX_LIMIT} rows."]
    for name in ("q", *spec.filters):
        if not _is_searchable(query.get(name, "")):
            errors[name] = [f"Send at most {_MAX_TEXT_LENGTH} characters, none of them a control character."]
    after = None
    cursor = query.get("cursor")
    if cursor and order is not None:
        after = read_cursor(cursor=cursor, spec=spec, order=order, model=model)
        if after is None:
            errors["cursor"] = ["This cursor is not one of this list in this sort order."]
    if order is None or limit is None or errors:
        raise ValidationError(errors)
    return ListParameters(
        order=order,
        limit=limit,
        words=tuple(fold(query.get("q", "")).split()),
        filters=tuple((column, query[name]) for name, column in spec.filters.items() if query.get(name)),
        after=after,
    )


def _order(name: str, spec: ListSpec) -> SortOrder | None:
    column = spec.sorts.get(name.removeprefix("-"))
    if column is None:
        return None
    return SortOrder(name=name, column=column, descending=name.startswith("-"))


def _limit(text: str | None) -> int | None:
    if not text:
        return DEFAULT_LIMIT
    # Short and ASCII first: int() takes other scripts' digits, underscores, and numbers of any length.
    if len(text) > len(str(MAX_LIMIT)) or not (text.isascii() and text.isdigit()):
        return None
    limit = int(text)
    return limit if 1 <= limit <= MAX_LIMIT else None


def _is_searchable(text: str) -> bool:
    return len(text) <= _MAX_TEXT_LENGTH and not has_control_characters(text)
