"""What the summaries of all domains have in common: a period is asked for, and the answer says which one it is of."""

from __future__ import annotations

from datetime import date, datetime

from portal.query import Params, Record


class SummaryParams(Params):
    """`from_`: the period's first instant, ISO 8601; 30 days where it is missing. `to`: the first instant after the
    period. `time_zone`: whose days and hours count, `Europe/Berlin` say; else UTC.
    """

    from_: str | None = None
    to: str | None = None
    time_zone: str | None = None


class SummaryPeriod(Record):
    """The period that the figures are of. `step`: what a point of the series stands for, `day`, `week` or `month`."""

    start: datetime | None = None
    end: datetime | None = None
    time_zone: str = ""
    step: str = ""


class SummaryPoint(Record):
    """A day, a week or a month, which begins at `start`; it may go on, or be cut by the period."""

    start: date | None = None
    is_under_way: bool = False
    is_cut: bool = False
