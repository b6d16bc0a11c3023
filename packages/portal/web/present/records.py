"""Readers of a backend's record. A reader never fails: a field that is missing or has another type is empty.

Of a record, only `id` is required (contract, section 8, "Of a row only `id` is required").
"""

from __future__ import annotations

import math
from collections import defaultdict
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def texts_of(record: Mapping[str, Any]) -> Mapping[str, str]:
    """All texts of a record by their names, and its numbers as texts. A field that is missing or odd is empty."""
    texts: defaultdict[str, str] = defaultdict(str)
    for name, value in record.items():
        if isinstance(value, str):
            texts[name] = value
        elif isinstance(value, int | float) and not isinstance(value, bool):
            texts[name] = str(value)
    return texts


def text_of(record: Mapping[str, Any], name: str) -> str:
    """One text, or a number as a text; :func:`texts_of` reads several at once."""
    return texts_of({name: record.get(name)})[name]


def integer_of(record: Mapping[str, Any], name: str) -> int | None:
    """A whole number."""
    value = record.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def number_of(record: Mapping[str, Any], name: str) -> float | None:
    """A finite number."""
    value = record.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        as_float = float(value)
    except OverflowError:
        return None
    return as_float if math.isfinite(as_float) else None


def decimal_of(record: Mapping[str, Any], name: str) -> Decimal | None:
    """An amount of money, which the backend sends as a decimal in a string."""
    value = record.get(name)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        return None
    return amount if amount.is_finite() else None


def datetime_of(record: Mapping[str, Any], name: str) -> datetime | None:
    """A time (ISO 8601), in UTC. A time without a zone is one in UTC."""
    value = record.get(name)
    if not isinstance(value, str):
        return None
    try:
        parsed = datetime.fromisoformat(value)
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def objects_of(record: Mapping[str, Any], name: str) -> tuple[Mapping[str, Any], ...]:
    """The objects of a list; other entries are left out."""
    value = record.get(name)
    return tuple(entry for entry in value if isinstance(entry, dict)) if isinstance(value, list | tuple) else ()


def counts_of(record: Mapping[str, Any], name: str) -> dict[str, int | None]:
    """The counts of an object, such as the number of rows by status; None for a count that is no whole number."""
    value = record.get(name)
    return {key: integer_of(value, key) for key in value} if isinstance(value, dict) else {}
