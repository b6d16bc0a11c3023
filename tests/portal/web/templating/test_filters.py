"""The filters that write values in the page's language."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from portal.web.present import formats_of
from portal.web.present.formats import NO_VALUE
from portal.web.templating.filters import format_filters

FILTERS = format_filters(formats_of("en"))
AT = datetime(2026, 3, 9, 7, 5, tzinfo=UTC)


@pytest.mark.parametrize("filter_name", ["amount", "kwh", "kw", "quantity"])
@pytest.mark.parametrize("value", [1e300, -1e300, 10**400])
def test_every_filter_of_numbers_bears_a_huge_number(filter_name: str, value: float) -> None:
    assert FILTERS[filter_name](value).startswith(NO_VALUE)


@pytest.mark.parametrize("filter_name", ["amount", "kwh", "kw", "quantity", "day", "calendar_day", "moment", "as_of"])
def test_a_missing_value_is_a_dash(filter_name: str) -> None:
    assert FILTERS[filter_name](None) == NO_VALUE


@pytest.mark.parametrize(
    ("filter_name", "expected"),
    [
        ("day", '<time datetime="2026-03-09T07:05:00+00:00" data-local="day">Mar 9, 2026</time>'),
        ("calendar_day", '<time datetime="2026-03-09T07:05:00+00:00">Mar 9, 2026</time>'),
        ("moment", '<time datetime="2026-03-09T07:05:00+00:00" data-local="moment">Mar 9, 2026, 07:05 UTC</time>'),
        ("clock", '<time datetime="2026-03-09T07:05:00+00:00" data-local="clock">07:05 UTC</time>'),
        ("as_of", '<time data-as-of datetime="2026-03-09T07:05:00+00:00" data-local="clock">07:05 UTC</time>'),
    ],
)
def test_a_time_element_has_its_datetime_and_the_form_in_which_scripts_rewrite_it(
    filter_name: str, expected: str
) -> None:
    assert FILTERS[filter_name](AT) == expected


def test_each_language_has_its_own_filters() -> None:
    assert format_filters(formats_of("de"))["kwh"](1234.5) == "1.234,5\N{NO-BREAK SPACE}kWh"
