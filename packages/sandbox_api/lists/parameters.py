"""The query parameters of a list, checked: `cursor`, `limit`, `q`, `sort`, the resource's filters and ranges."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Model
from rest_framework.exceptions import ValidationError

from sandbox_api.folding import fold
from sandbox_api.lists.cursors import Position, read_cursor
from sandbox_api.lists.spec import (
    DEFAULT_LIMIT,
    DEFAULT_SORT,
    FROM_SUFFIX,
    MAX_LIMIT,
    TO_SUFFIX,
    ListSpec,
    SortOrder,
)
from sandbox_api.lists.values import MAX_VALUES, read_instant, split_values
from sandbox_api.texts import has_control_characters

_MAX_TEXT_LENGTH = 200
_TOO_MUCH = (
    f"Send at most {MAX_VALUES} values with commas between them, each of at most {_MAX_TEXT_LENGTH} characters,"
    " none of them a control character."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Conditions:
    """Which rows of a list a caller wants."""

    words: tuple[str, ...] = ()
    """Of `q`, folded; a row has all of them."""
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Name on the wire to values; a row has one of them."""
    since: Mapping[str, datetime] = field(default_factory=dict)
    """Name of a range on the wire to its first moment."""
    before: Mapping[str, datetime] = field(default_factory=dict)
    """Name of a range on the wire to the first moment after it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ListParameters:
    """What a caller asked of a list."""

    order: SortOrder
    limit: int
    conditions: Conditions
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
    conditions = _conditions(query, spec, errors)
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
        conditions=conditions,
        after=after,
    )


def read_conditions(*, query: Mapping[str, str], spec: ListSpec) -> Conditions:
    """Check the parameters that say which rows, and no others.

    :raises ValidationError: naming each parameter that is wrong, all at once.
    """
    errors: dict[str, list[str]] = {}
    conditions = _conditions(query, spec, errors)
    if errors:
        raise ValidationError(errors)
    return conditions


def _conditions(query: Mapping[str, str], spec: ListSpec, errors: dict[str, list[str]]) -> Conditions:
    """Read them; what is wrong is added to `errors`."""
    q = query.get("q", "")
    if not _is_searchable(q):
        errors["q"] = [f"Send at most {_MAX_TEXT_LENGTH} characters, none of them a control character."]
    filters = {}
    for name in spec.filter_names:
        values = split_values(query.get(name, ""))
        if len(values) > MAX_VALUES or not all(map(_is_searchable, values)):
            errors[name] = [_TOO_MUCH]
        elif values:
            filters[name] = values
    limits: dict[str, dict[str, datetime]] = {FROM_SUFFIX: {}, TO_SUFFIX: {}}
    for name in spec.ranges:
        for suffix, found in limits.items():
            text = query.get(f"{name}{suffix}", "")
            moment = read_instant(text) if text else None
            if moment is not None:
                found[name] = moment
            elif text:
                errors[f"{name}{suffix}"] = ["Send a moment such as 2026-01-31T00:00:00Z."]
    return Conditions(
        words=tuple(fold(q).split()), filters=filters, since=limits[FROM_SUFFIX], before=limits[TO_SUFFIX]
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
