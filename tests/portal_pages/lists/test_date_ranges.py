"""Ranges of days: both days count, in the user's time zone."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from django.http import QueryDict
from django.utils import timezone

from portal_pages.lists.date_ranges import ChosenDays, DateRange, presets_of, read_days

STARTED = DateRange("startedAt", "Begin")
ISSUED = DateRange("issuedAt", "Issued", calendar=True)


def chosen(query: str, *, zone: str = "UTC") -> ChosenDays:
    with timezone.override(ZoneInfo(zone)):
        return read_days(STARTED, QueryDict(query))


@pytest.mark.parametrize(
    ("of", "zone", "first", "last", "begins", "ends"),
    [
        (STARTED, "UTC", "2026-01-01", "2026-01-31", (2026, 1, 1), (2026, 2, 1)),
        # The clocks change.
        (STARTED, "Europe/Berlin", "2026-03-29", "2026-03-29", (2026, 3, 28, 23), (2026, 3, 29, 22)),
        (ISSUED, "Asia/Tokyo", "2026-03-29", "2026-03-29", (2026, 3, 29), (2026, 3, 30)),
    ],
)
def test_last_day_counts(
    *, of: DateRange, zone: str, first: str, last: str, begins: tuple[int, ...], ends: tuple[int, ...]
) -> None:
    with timezone.override(ZoneInfo(zone)):
        params = read_days(of, QueryDict(f"{of.field}From={first}&{of.field}To={last}")).params
    assert params == {
        f"{of.field}From": datetime(*begins, tzinfo=UTC),  # type: ignore[arg-type,misc]  # its numbers
        f"{of.field}To": datetime(*ends, tzinfo=UTC),  # type: ignore[arg-type,misc]  # its numbers
    }


@pytest.mark.parametrize(
    "text", ["2026-02-30", "20260101", "2026-W01-1", "0001-01-01", "9999-12-31", "2026-01-01T00:00", "\u0662026-01-01"]
)
def test_what_is_no_day_is_said_and_not_sent(text: str) -> None:
    days = chosen(f"startedAtFrom={text}", zone="Asia/Tokyo")
    assert (days.error, days.params) == ("Enter days such as 2026-03-31.", {})
    assert days.texts["startedAtFrom"] == text[:20]


def test_reversed_days_are_said_and_not_sent_and_an_empty_day_is_none() -> None:
    days = chosen("startedAtFrom=2026-02-02&startedAtTo=2026-02-01")
    assert (days.error, days.params) == ("The first day is after the last.", {})
    assert chosen("startedAtFrom=&startedAtTo=").texts == {}


def test_the_presets_include_today() -> None:
    today = date(2026, 12, 31)
    found = {label: (first.isoformat(), last.isoformat()) for label, first, last in presets_of(STARTED, today=today)}
    assert len(found) == 9
    for label, days in {
        "Yesterday": ("2026-12-30", "2026-12-30"),
        "Last 7 days": ("2026-12-25", "2026-12-31"),
        "This month": ("2026-12-01", "2026-12-31"),
        "Last month": ("2026-11-01", "2026-11-30"),
        "Last quarter": ("2026-07-01", "2026-09-30"),
    }.items():
        assert found[label] == days


def test_what_lies_ahead_has_presets_ahead() -> None:
    due = DateRange("dueAt", "Due", ahead=True)
    found = {label: (str(first), str(last)) for label, first, last in presets_of(due, today=date(2026, 2, 10))}
    assert found["Next 7 days"] == ("2026-02-10", "2026-02-16")
    assert found["Next month"] == ("2026-03-01", "2026-03-31")
    assert found["This quarter"] == ("2026-01-01", "2026-03-31")
    assert not {"Yesterday", "Last month", "Last quarter"} & set(found)
