"""Reading a backend's record: only `id` is sure to be there, and any other field may be missing or odd.

Every reader is total: what is missing or of another type is empty (contract, section 8, "Of a row only `id`
is required").
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def text(record: Mapping[str, Any], name: str) -> str:
    """A text; a number is written out, anything else is empty."""
    value = record.get(name)
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def integer(record: Mapping[str, Any], name: str) -> int | None:
    """A whole number; None where there is none."""
    value = record.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def number(record: Mapping[str, Any], name: str) -> float | None:
    """A finite number; None where there is none."""
    value = record.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        as_float = float(value)
    except OverflowError:
        return None
    return as_float if math.isfinite(as_float) else None


def decimal(record: Mapping[str, Any], name: str) -> Decimal | None:
    """An amount of money, which stands as a decimal in a string; None where there is none."""
    value = record.get(name)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        return None
    return amount if amount.is_finite() else None


def moment(record: Mapping[str, Any], name: str) -> datetime | None:
    """A point in time (ISO 8601), in UTC; None where there is none."""
    value = record.get(name)
    if not isinstance(value, str):
        return None
    try:
        parsed = datetime.fromisoformat(value)
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def records(record: Mapping[str, Any], name: str) -> tuple[Mapping[str, Any], ...]:
    """A list of objects; entries that are none are left out."""
    value = record.get(name)
    return tuple(entry for entry in value if isinstance(entry, dict)) if isinstance(value, list) else ()
