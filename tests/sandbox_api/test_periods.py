from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from rest_framework.exceptions import ValidationError

from sandbox_api.periods import Period, read_period

NOW = datetime(2026, 3, 29, 12, tzinfo=UTC)


def period(**query):
    return read_period(query={name.rstrip("_"): value for name, value in query.items()}, now=NOW)


def test_without_parameters_it_is_thirty_days_with_today():
    found = period(timeZone="Europe/Berlin")
    # The clocks go forward on the 29th, so the day that ends it is an hour shorter.
    assert (found.start, found.end) == (datetime(2026, 2, 27, 23, tzinfo=UTC), datetime(2026, 3, 29, 22, tzinfo=UTC))
    assert len(found.points()) == 30
    assert [point["isUnderWay"] for point in found.points()] == [False] * 29 + [True]


def test_the_period_before_is_as_long_and_goes_as_far():
    found = period(from_="2026-03-22T23:00:00Z", to="2026-03-29T22:00:00Z", timeZone="Europe/Berlin").before
    assert (found.start, found.end) == (datetime(2026, 3, 15, 23, tzinfo=UTC), datetime(2026, 3, 22, 23, tzinfo=UTC))
    assert found.over_until == datetime(2026, 3, 22, 13, tzinfo=UTC), "14:00 in Berlin, as it is now"
    # One that is over is compared with a whole one.
    found = period(from_="2026-01-08T00:00:00Z", to="2026-01-15T00:00:00Z").before
    assert found.over_until == found.end == datetime(2026, 1, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("days", "step", "points"), [(1, "day", 1), (45, "day", 45), (46, "week", 7), (200, "week", 29), (201, "month", 7)]
)
def test_the_longer_it_is_the_more_a_point_stands_for(days, step, points):
    end = datetime(2026, 3, 1, tzinfo=UTC)
    found = Period(start=end - timedelta(days=days), end=end, zone=ZoneInfo("UTC"), now=NOW)
    assert (found.step, len(found.points())) == (step, points)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"timeZone": "../../etc/passwd"}, "timeZone"),
        ({"from_": "yesterday"}, "from"),
        ({"to": "0001-01-01T00:00:00Z"}, "to"),
        ({"to": "9999-12-31T23:59:59Z"}, "to"),
        ({"from_": "2000-01-02T00:00:00Z", "to": "2026-01-02T00:00:00Z"}, "to"),
    ],
)
def test_what_is_no_period_is_refused_by_its_parameter(query, field):
    with pytest.raises(ValidationError) as refused:
        period(**query)
    assert set(refused.value.detail) == {field}
