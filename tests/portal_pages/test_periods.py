"""The period of an overview: what its address says, and what the summary is asked for."""

import re
from datetime import date, timedelta
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import pytest
from django.test import RequestFactory
from django.utils import timezone

from portal_pages import PeriodChoice


def choice(**query: str) -> PeriodChoice:
    return PeriodChoice.of(RequestFactory().get(f"/en/energy?{urlencode(query)}"))


@pytest.fixture
def today() -> date:
    return timezone.localdate()


@pytest.mark.parametrize(("period", "days"), [("7d", 7), ("30d", 30), ("90d", 90), ("", 30), ("1000d", 30), ("\0", 30)])
def test_a_period_ends_today(today: date, period: str, days: int) -> None:
    found = choice(period=period)
    assert (found.first, found.last) == (today - timedelta(days=days - 1), today)


def test_twelve_months_begin_and_end_with_a_month(today: date) -> None:
    found = choice(period="12m")
    assert (found.first.day, found.last) == (1, today)
    assert (today.year - found.first.year) * 12 + today.month - found.first.month == 11
    assert found.params()["to"][8:] == "01T00:00:00Z"


@pytest.mark.parametrize(
    ("period", "first", "last", "end"),
    [
        ("last-month", date(2026, 1, 1), date(2026, 1, 31), "2026-02-01"),
        ("last-quarter", date(2025, 10, 1), date(2025, 12, 31), "2026-01-01"),
        # What goes on is asked for whole: then it is compared with as much of the year before.
        ("year", date(2026, 1, 1), date(2026, 2, 15), "2027-01-01"),
    ],
)
def test_calendar_period(monkeypatch: pytest.MonkeyPatch, period: str, first: date, last: date, end: str) -> None:
    monkeypatch.setattr(timezone, "localdate", lambda **_zone: date(2026, 2, 15))
    found = choice(period=period)
    assert (found.first, found.last, found.params()["to"]) == (first, last, f"{end}T00:00:00Z")


def test_days_of_ones_own_are_both_inclusive_and_end_today_at_the_latest(today: date) -> None:
    assert choice(**{"from": "2026-01-01", "to": "2026-01-31"}).range_of("startedAt") == {
        "startedAtFrom": date(2026, 1, 1),
        "startedAtTo": date(2026, 1, 31),
    }
    assert choice(**{"from": today.isoformat(), "to": "2999-01-01"}).last == today
    assert choice(**{"from": today.isoformat()}).last == today


@pytest.mark.parametrize(
    "query",
    [
        {"from": "2026-02-01", "to": "2026-01-01"},
        {"from": "1999-12-31", "to": "2026-01-01"},
        {"from": "2010-01-01", "to": "2026-01-01"},
        {"from": "<b>", "to": "2026-01-01"},
        {"to": "2026-01-01"},
        {"from": "2999-01-01", "to": "2999-01-02"},
    ],
)
def test_wrong_days_show_the_default_period(query: dict[str, str], today: date) -> None:
    found = choice(**query)
    assert found.error
    assert (found.first, found.last) == (today - timedelta(days=29), today)
    assert not any(link.is_current for link in found.links)
    days = (re.fullmatch(r"(\d{4}-\d\d-\d\d)?", query.get(name, "")) for name in ("from", "to"))
    assert found.fields == tuple(day[0] if day else "" for day in days), "what is no day does not stay in the form"


def test_the_summary_is_asked_for_midnights_of_the_users_zone() -> None:
    with timezone.override(ZoneInfo("Europe/Istanbul")):
        found = choice(**{"from": "2026-01-01", "to": "2026-01-31"})
        assert found.params() == {
            "from_": "2025-12-31T21:00:00Z",
            "to": "2026-01-31T21:00:00Z",
            "time_zone": "Europe/Istanbul",
        }
        assert "(by the clocks of Istanbul)" in found.explanation


def test_days_of_no_zone_name_none_and_those_of_utc_do() -> None:
    request = RequestFactory().get("/en/finance")
    with timezone.override(ZoneInfo("Europe/Berlin")):
        assert re.search(r" to \w+ \d+, \d+, compared", PeriodChoice.of(request, calendar=True).explanation)
    with timezone.override(ZoneInfo("UTC")):
        assert "(UTC)" in PeriodChoice.of(request).explanation


def test_the_links_lead_to_each_period_and_the_default_needs_no_parameter() -> None:
    links = [(link.url.removeprefix("/en/energy"), link.is_current) for link in choice().links]
    assert links[:2] == [("?period=7d", False), ("", True)]
    assert links[2:] == [(f"?period={name}", False) for name in ("90d", "12m", "last-month", "last-quarter", "year")]
