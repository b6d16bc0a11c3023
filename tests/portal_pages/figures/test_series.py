"""The points of a summary's series: named by day, week or month, and marked where they are not whole."""

from datetime import date

import pytest

from portal.query import Record
from portal_pages.figures import Point, hour_points, month_points, series_points


class EnergyPoint(Record):
    start: date | None = None
    is_under_way: bool = False
    is_cut: bool = False
    energy_kwh: float | None = None


def points(*series: EnergyPoint, step: str = "day") -> list[Point]:
    return series_points(series, step=step, value=lambda each: each.energy_kwh or 0, text=lambda _each: "")


@pytest.mark.parametrize(
    ("step", "label", "short"),
    [
        ("day", "Nov 16, 2026", "Nov 16"),
        ("week", "Week from Nov 16, 2026", "Nov 16"),
        ("month", "Nov 2026", "Nov"),
        ("a step of another backend", "Nov 16, 2026", "Nov 16"),
    ],
)
def test_a_point_is_named_by_what_it_stands_for(step: str, label: str, short: str) -> None:
    (point,) = points(EnergyPoint(start=date(2026, 11, 16), energy_kwh=5.0), step=step)
    assert (point.label, point.short, point.group, point.value) == (label, short, "2026", 5)


def test_what_goes_on_or_is_cut_says_so_and_what_has_no_day_is_left_out() -> None:
    day = date(2026, 11, 16)
    series = (
        EnergyPoint(start=day, is_under_way=True, is_cut=True),
        EnergyPoint(start=day, is_cut=True),
        EnergyPoint(start=day),
        EnergyPoint(),
    )
    assert [point.note for point in points(*series, step="month")] == [
        "month not over yet",
        "only in part in this period",
        "",
    ]


def test_a_month_without_a_period_has_its_year_and_a_code_that_is_none_stays_as_it_is() -> None:
    found = month_points([("2026-01", 1.0, "1"), ("soon", 2.0, "2"), ("", 3.0, "3")])
    assert [(point.label, point.short, point.group) for point in found] == [
        ("Jan 2026", "Jan", "2026"),
        ("soon", "soon", ""),
        ("", "", ""),
    ]


def test_an_hour_is_named_from_its_first_minute_to_its_last() -> None:
    (point, unknown) = hour_points([(7, 1200), (None, None)])
    assert (point.label, point.short, point.value, point.text) == ("07:00–07:59", "07", 1200, "1,200")
    assert (unknown.short, unknown.text) == ("00", "0")
