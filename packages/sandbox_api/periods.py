"""The period of a summary: from one instant to another, the period before it, and its days, weeks or months.

Days are those of a time zone. A period that is not over yet is compared with as much of the one before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import cache
from typing import Any, TypeVar
from zoneinfo import ZoneInfo, available_timezones

from django.db import connection
from django.db.models import CharField, Count, F, Func, QuerySet, Value
from django.db.models.functions import ExtractHour, TruncDate
from django.utils.dateparse import parse_datetime
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

TFigure = TypeVar("TFigure", int, Decimal)

DEFAULT_DAYS = 30
MAX_DAYS = 1830
#: A period of at most so many days is counted by day, by week; a longer one by month.
_BY_DAY = 45
_BY_WEEK = 200
#: In a zone east of Greenwich the year 2000 begins in it.
_FIRST_YEAR = 1999
_LAST_YEAR = 2100
_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)
_DECEMBER = 12
_TEXT = CharField()
#: What `strftime` writes, and the function of other databases.
_BY_DATE = ("%Y-%m-%d", TruncDate)
_BY_CLOCK = ("%H", ExtractHour)

PERIOD_PARAMETERS = [
    OpenApiParameter("from", str, description="The period's first instant, ISO 8601; 30 days where it is missing."),
    OpenApiParameter("to", str, description="The first instant after the period."),
    OpenApiParameter("timeZone", str, description="Whose days and hours count, `Europe/Berlin` say; else UTC."),
]


class SummaryPeriod(serializers.Serializer[Any]):
    """The period that the figures are of. `step` is `day`, `week` or `month`: what a point of the series stands for."""

    start = serializers.DateTimeField()
    end = serializers.DateTimeField()
    timeZone = serializers.CharField()  # noqa: N815 - the wire's name
    step = serializers.CharField()


class SummaryPoint(serializers.Serializer[Any]):
    """A day, a week or a month of the series, which begins at `start`; it may go on, or be cut by the period."""

    start = serializers.DateField()
    isUnderWay = serializers.BooleanField()  # noqa: N815 - the wire's name
    isCut = serializers.BooleanField()  # noqa: N815 - the wire's name


class AgeSpan(serializers.Serializer[Any]):
    """The days of one age, both inclusive; `fromDay` is null for the oldest, `toDay` for the youngest."""

    fromDay = serializers.DateField(allow_null=True)  # noqa: N815 - the wire's name
    toDay = serializers.DateField(allow_null=True)  # noqa: N815 - the wire's name
    count = serializers.IntegerField()


@dataclass(frozen=True, kw_only=True, slots=True)
class Period:
    """From `start` to before `end`."""

    start: datetime
    end: datetime
    zone: ZoneInfo
    now: datetime
    #: The period that this one is compared with; its points are those of that one.
    after: Period | None = None

    @property
    def over_until(self) -> datetime:
        """Its end, or now where that is sooner."""
        return max(self.start, min(self.end, self.now))

    @property
    def before(self) -> Period:
        """The period of equal length before this one, up to the same moment of it. Its days begin at midnight too."""
        length = self._wall(self.end) - self._wall(self.start)
        over = self._instant(self._wall(self.over_until) - length)
        start = self._instant(self._wall(self.start) - length)
        return Period(start=start, end=self.start, zone=self.zone, now=max(start, over), after=self)

    @property
    def step(self) -> str:
        """What a point of its series stands for."""
        days = (self.end - self.start) / _DAY
        return "day" if days <= _BY_DAY else "week" if days <= _BY_WEEK else "month"

    def described(self) -> dict[str, object]:
        """As it stands in an answer."""
        return {
            "start": self.start.astimezone(UTC),
            "end": self.end.astimezone(UTC),
            "timeZone": self.zone.key,
            "step": self.step,
        }

    def points(self) -> list[dict[str, Any]]:
        """The points of its series, each with its first day, and whether it goes on or is cut by the period.

        Those of the period before are the same, so that each stands beside the one that it is compared with.
        """
        if self.after:
            return self.after.points()
        first = self.point_of(self._day(self.start))
        last = self._day(self.end - timedelta(microseconds=1))
        points = []
        while first <= last:
            following = self._following(first)
            begin, end = self.midnight(first), self.midnight(following)
            points.append(
                {
                    "start": first,
                    "isUnderWay": begin <= self.now < end,
                    "isCut": begin < self.start or end > self.end,
                }
            )
            first = following
        return points

    def point_of(self, day: date) -> date:
        """The first day of the point that a day belongs to."""
        if self.after:
            return self.after.point_of(day + (self._day(self.after.start) - self._day(self.start)))
        if self.step == "month":
            return day.replace(day=1)
        return day - timedelta(days=day.weekday()) if self.step == "week" else day

    def midnight(self, day: date) -> datetime:
        """The first moment of a day."""
        return datetime.combine(day, time(), tzinfo=self.zone).astimezone(UTC)

    @property
    def today(self) -> date:
        """The day that it is now."""
        return self._day(self.now)

    def _following(self, first: date) -> date:
        if self.step != "month":
            return first + (timedelta(weeks=1) if self.step == "week" else _DAY)
        return date(first.year + first.month // _DECEMBER, first.month % _DECEMBER + 1, 1)

    def _day(self, moment: datetime) -> date:
        return moment.astimezone(self.zone).date()

    def _wall(self, moment: datetime) -> datetime:
        return moment.astimezone(self.zone).replace(tzinfo=None)

    def _instant(self, wall: datetime) -> datetime:
        return wall.replace(tzinfo=self.zone).astimezone(UTC)


def read_period(*, query: Mapping[str, str], now: datetime) -> Period:
    """The period that a caller asks for; by default 30 days with today.

    :raises ValidationError: naming each parameter that is wrong.
    """
    errors: dict[str, list[str]] = {}
    name = query.get("timeZone") or "UTC"
    if name not in _zones():
        errors["timeZone"] = ["Send the name of a time zone, Europe/Berlin say."]
    instants = {}
    for parameter in ("from", "to"):
        text = query.get(parameter)
        instant = _instant(text) if text else None
        if text and instant is None:
            errors[parameter] = ["Send a day and a time with its offset, 2026-01-31T00:00:00Z say."]
        instants[parameter] = instant
    if errors:
        raise ValidationError(errors)
    zone = ZoneInfo(name)
    tomorrow = now.astimezone(zone).date() + _DAY
    end = instants["to"] or datetime.combine(tomorrow, time(), tzinfo=zone).astimezone(UTC)
    start = instants["from"] or (
        datetime.combine(end.astimezone(zone).date() - DEFAULT_DAYS * _DAY, time(), tzinfo=zone).astimezone(UTC)
    )
    if not timedelta(0) < end - start <= MAX_DAYS * _DAY:
        raise ValidationError({"to": [f"A period ends after it begins, at most {MAX_DAYS} days later."]})
    return Period(start=start, end=end, zone=zone, now=now)


def by_day(rows: QuerySet[Any], column: str, *, period: Period, **figures: Any) -> Iterator[tuple[Any, ...]]:
    """Figures of the rows in a period, by day: the day, then the figures. A day may come more than once."""
    for day, *found in _by_local(rows, column, period, period.zone, _BY_DATE, figures):
        yield day if isinstance(day, date) else date.fromisoformat(day), *found


def by_point(
    rows: QuerySet[Any], column: str, *, period: Period, figure: Any, zero: TFigure
) -> defaultdict[date, TFigure]:
    """A figure of the rows in a period, by the first day of each point of its series; `zero` where there are none."""
    found: defaultdict[date, TFigure] = defaultdict(lambda: zero)
    for day, value in by_day(rows, column, period=period, figure=figure):
        found[period.point_of(day)] += value
    return found


def by_hour(rows: QuerySet[Any], column: str, *, period: Period, zone: ZoneInfo) -> Iterator[tuple[int, int]]:
    """How many of the rows in a period are of each hour of the day. An hour may come more than once."""
    for hour, count in _by_local(rows, column, period, zone, _BY_CLOCK, {"count": Count("pk")}):
        yield int(hour), count


def _by_local(  # noqa: PLR0917 - all of them, always
    rows: QuerySet[Any],
    column: str,
    period: Period,
    zone: ZoneInfo,
    by: tuple[str, Callable[..., Any]],
    figures: Mapping[str, Any],
) -> Iterator[tuple[Any, ...]]:
    # SQLite has no time zones: for a truncated date it would call Python for every row, and there are many. So its
    # own function is told the offset, which differs before and after the clocks are changed.
    pattern, function = by
    is_sqlite = connection.vendor == "sqlite"
    parts = _offsets(period.start, period.over_until, zone) if is_sqlite else [(period.start, period.over_until, 0)]
    for begin, end, offset_s in parts:
        local = (
            Func(Value(pattern), F(column), Value(f"{offset_s:+d} seconds"), function="strftime", output_field=_TEXT)
            if is_sqlite
            else function(column, tzinfo=zone)
        )
        found = rows.filter(**{f"{column}__gte": begin, f"{column}__lt": end}).order_by().annotate(local=local)
        yield from found.values_list("local").annotate(**figures)


def ages(period: Period, edges: tuple[int, ...]) -> list[tuple[date | None, date | None]]:
    """The days whose age is at most the first of `edges`, more than that and at most the second, …, and the rest.

    The first has no last day: what is due tomorrow counts as new.
    """
    last: date | None = None
    spans: list[tuple[date | None, date | None]] = []
    for edge in edges:
        first = period.today - edge * _DAY
        spans.append((first, last))
        last = first - _DAY
    return [*spans, (None, last)]


def in_days(period: Period, column: str, span: tuple[date | None, date | None]) -> dict[str, datetime]:
    """The filter for the rows of a span of days."""
    first, last = span
    filters = {} if first is None else {f"{column}__gte": period.midnight(first)}
    return filters if last is None else {**filters, f"{column}__lt": period.midnight(last + _DAY)}


def _offsets(start: datetime, end: datetime, zone: ZoneInfo) -> Iterator[tuple[datetime, datetime, int]]:
    """The parts of a time in which the zone keeps its offset, seconds east of UTC."""
    while start < end:
        offset = _offset_s(start, zone)
        low, high = start, start
        while high < end and _offset_s(high, zone) == offset:
            low, high = high, min(end, high + _DAY)
        if _offset_s(high, zone) != offset:
            while high - low > _SECOND:
                middle = low + (high - low) / 2
                low, high = (middle, high) if _offset_s(middle, zone) == offset else (low, middle)
            # Clocks change on a whole second, and between these two there is one.
            high = high.replace(microsecond=0)
        yield start, high, offset
        start = high


def _offset_s(moment: datetime, zone: ZoneInfo) -> int:
    offset = moment.astimezone(zone).utcoffset()
    return int(offset.total_seconds()) if offset else 0


def _instant(text: str) -> datetime | None:
    try:
        instant = parse_datetime(text)
    except ValueError:
        return None
    if instant is None or instant.tzinfo is None or not _FIRST_YEAR <= instant.year < _LAST_YEAR:
        return None
    return instant.astimezone(UTC)


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())
