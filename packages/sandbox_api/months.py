"""Calendar months for charts: always twelve, also where nothing happened."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import TruncMonth

SHOWN = 12


@dataclass(frozen=True, order=True, slots=True)
class Month:
    """A calendar month in UTC."""

    year: int
    month: int

    def __str__(self) -> str:
        """As it stands on the wire: `2026-01`."""
        return f"{self.year:04d}-{self.month:02d}"

    @property
    def start(self) -> datetime:
        """Its first moment."""
        return datetime(self.year, self.month, 1, tzinfo=UTC)

    def before(self, months: int) -> Month:
        """Give the month that is so many months earlier; later, where that is negative."""
        year, month = divmod(self.year * 12 + self.month - 1 - months, 12)
        return Month(year, month + 1)


def month_of(moment: datetime) -> Month:
    """Give the month of a moment."""
    in_utc = moment.astimezone(UTC)
    return Month(in_utc.year, in_utc.month)


def months_until(*, now: datetime) -> list[Month]:
    """Give the twelve months that end with the present one, the oldest first."""
    return [month_of(now).before(months) for months in reversed(range(SHOWN))]


def by_month(rows: QuerySet[Any], column: str, *, since: Month, figure: Any) -> dict[Month, Any]:
    """Give a figure of the rows of each month in which there are any."""
    found = rows.filter(**{f"{column}__gte": since.start}).values_list(TruncMonth(column)).annotate(figure)
    return {month_of(start): value for start, value in found}
