from datetime import UTC, datetime, timedelta, timezone

from sandbox_api.months import Month, month_of, months_until


def test_twelve_months_end_with_the_present_one():
    months = [str(month) for month in months_until(now=datetime(2026, 3, 31, tzinfo=UTC))]
    assert months[0] == "2025-04"
    assert months[-1] == "2026-03"
    assert len(months) == 12


def test_a_month_begins_in_utc():
    east = timezone(timedelta(hours=3))
    assert month_of(datetime(2026, 1, 1, 1, tzinfo=east)) == Month(2025, 12)
    assert Month(2026, 1).start == datetime(2026, 1, 1, tzinfo=UTC)
    assert Month(2026, 1).before(13) == Month(2024, 12)
    assert Month(2025, 12).before(-1) == Month(2026, 1)
