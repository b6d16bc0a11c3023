"""The filters that write values in the page's language."""

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from functools import partial
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone as django_timezone

from portal.web.present import formats_of
from portal.web.present.formats import NO_VALUE
from portal.web.templating.filters import format_filters

#: That of a template which was given no time zone: times are in the active one.
CONTEXT = SimpleNamespace(parent={})
FILTERS = {
    name: partial(write, CONTEXT) if hasattr(write, "jinja_pass_arg") else write
    for name, write in format_filters(formats_of("en")).items()
}
AT = datetime(2026, 3, 9, 7, 5, tzinfo=UTC)


ELSEWHERE = timezone(timedelta(hours=9))
TIMES = ("day", "calendar_day", "moment", "short_moment", "clock", "as_of")
#: Of numbers, how 1234.5 is written.
NUMBERS = {"amount": "1,235", "kwh": "1,234.5 kWh", "kw": "1,234.5 kW", "quantity": "1,234.5"}


@pytest.mark.parametrize("filter_name", NUMBERS)
def test_a_number_is_written_as_the_decimal_is_and_as_a_dash_where_it_can_not_be(filter_name: str) -> None:
    expected = NUMBERS[filter_name].replace(" ", "\N{NO-BREAK SPACE}")
    assert {FILTERS[filter_name](value) for value in (1234.5, Decimal("1234.50"))} == {expected}
    for value in (None, 1e300, 10**400, float("nan"), Decimal("1e999999"), Decimal("Infinity")):
        assert FILTERS[filter_name](value) == NO_VALUE, value


@pytest.mark.parametrize("filter_name", TIMES)
def test_a_time_of_any_zone_is_written_in_the_pages_and_one_that_has_no_year_there_is_a_dash(filter_name: str) -> None:
    write = FILTERS[filter_name]
    assert write(AT.astimezone(ELSEWHERE)) == write(AT.replace(tzinfo=None)) == write(AT)
    assert write(datetime(1, 1, 1, tzinfo=ELSEWHERE)) == write(None) == NO_VALUE
    with django_timezone.override(ZoneInfo("Pacific/Kiritimati")):
        assert (write(datetime.max.replace(tzinfo=UTC)) == NO_VALUE) is (filter_name != "calendar_day")


@pytest.mark.parametrize(
    ("filter_name", "expected"),
    [
        ("day", '<time {} data-local="day">Mar 9, 2026</time>'),
        ("short_moment", '<time {} data-local="short_moment">Mar 9, 2026, 07:05</time>'),
        ("calendar_day", "<time {}>Mar 9, 2026</time>"),
        ("moment", '<time {} data-local="moment">Mar 9, 2026, 07:05 UTC</time>'),
        ("clock", '<time {} data-local="clock">07:05 UTC</time>'),
        ("as_of", '<time data-as-of {} data-local="clock">07:05 UTC</time>'),
    ],
)
def test_time_element_has_its_datetime_and_form(filter_name: str, expected: str) -> None:
    assert FILTERS[filter_name](AT) == expected.format('datetime="2026-03-09T07:05:00+00:00"')


def test_a_time_that_was_written_in_one_zone_is_written_again_in_another() -> None:
    """What is kept is kept for its zone: the next request may be that of a user elsewhere."""
    for zone, time in (
        ("Europe/Berlin", "08:05 GMT+1"),
        ("Asia/Kolkata", "12:35 GMT+5:30"),
        ("Europe/Berlin", "08:05 GMT+1"),
    ):
        with django_timezone.override(ZoneInfo(zone)):
            assert f">Mar 9, 2026, {time}<" in FILTERS["moment"](AT)


def test_a_distance_from_now_says_its_time_to_programs_and_to_who_hovers() -> None:
    at = datetime.now(UTC) - timedelta(hours=3)
    html = FILTERS["ago"](at)
    assert html.startswith(f'<time datetime="{at.isoformat(timespec="seconds")}" title="')
    assert html.endswith('UTC">3 hours ago</time>')
    assert {FILTERS["ago"](each) for each in (None, datetime(1, 1, 1, tzinfo=ELSEWHERE))} == {NO_VALUE}
