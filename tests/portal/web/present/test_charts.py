"""The charts' geometry: whole numbers, inside the drawing, in proportion."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.web.present.badges import Badge
from portal.web.present.charts import HEIGHT, SPLIT_WIDTH, BarChart, Point, bar_chart, nice_ceiling, split_bar

#: All that JSON may bring, and what some decoders make of it.
VALUES = st.lists(st.floats(), min_size=1, max_size=40)


def chart_of(values: list[float]) -> BarChart:
    points = [Point(label=str(position), value=value, text=str(value)) for position, value in enumerate(values)]
    chart = bar_chart(points, axis_text=str)
    assert chart is not None
    return chart


@given(VALUES)
def test_bars_stand_on_the_floor_inside_their_slots(values: list[float]) -> None:
    chart = chart_of(values)
    assert len(chart.bars) == len(values)
    for bar in chart.bars:
        assert bar.y + bar.height == HEIGHT
        assert 0 <= bar.height <= HEIGHT
        assert bar.slot_x <= bar.x <= bar.x + chart.bar_width <= bar.slot_x + chart.slot <= chart.width


def test_heights_are_in_proportion_to_a_round_ceiling() -> None:
    chart = chart_of([20, 40, 80])
    assert [bar.height for bar in chart.bars] == [HEIGHT // 4, HEIGHT // 2, HEIGHT]
    assert chart.axis == ("80.0", "40.0", "0")


@pytest.mark.parametrize("value", [5e-324, 1e-300, -1.0, math.nan, math.inf, -math.inf, 1e308])
def test_a_value_that_is_no_figure_is_drawn_as_nothing(value: float) -> None:
    assert [bar.height for bar in chart_of([value, 4]).bars] == [0, HEIGHT]


@pytest.mark.parametrize(("value", "ceiling"), [(0, 1), (0.03, 0.04), (1, 1), (7, 8), (81, 100), (1001, 2000)])
def test_the_ceiling_is_a_round_number_above(value: float, ceiling: float) -> None:
    assert nice_ceiling(value) == pytest.approx(ceiling)


@pytest.mark.parametrize(("count", "shown"), [(12, 12), (24, 8)])
def test_of_many_labels_only_some_are_shown(count: int, shown: int) -> None:
    chart = chart_of([1.0] * count)
    assert sum(bar.label_shown != "never" for bar in chart.bars) == shown
    assert sum(bar.label_shown == "" for bar in chart.bars) == shown // 2


@given(st.lists(st.integers(min_value=0, max_value=10**9), min_size=1, max_size=6))
def test_the_parts_of_a_whole_fill_it_without_gaps(counts: list[int]) -> None:
    bar = split_bar({str(at): count for at, count in enumerate(counts)}, badges={})
    assert bar is not None
    assert sum(part.width for part in bar.parts) == (SPLIT_WIDTH if sum(counts) else 0)
    assert all(after.x == before.x + before.width for before, after in pairwise(bar.parts))
    assert all(part.width == 0 for part, count in zip(bar.parts, counts, strict=True) if not count)


def test_known_statuses_come_first_and_in_their_own_order() -> None:
    bar = split_bar(
        {"odd": 2, "faulted": 1, "free": 3}, badges={"free": Badge(label="Free"), "faulted": Badge(label="Faulted")}
    )
    assert bar is not None
    assert [(part.label, part.value) for part in bar.parts] == [("Free", "3"), ("Faulted", "1"), ("odd", "2")]


def test_a_status_with_an_unreadable_count_stays_in_the_legend() -> None:
    bar = split_bar({"free": None, "faulted": 2}, badges={"free": Badge(label="Free")})
    assert bar is not None
    assert [(part.label, part.value, part.width) for part in bar.parts] == [("Free", "0", 0), ("faulted", "2", 1000)]


def test_without_anything_to_draw_there_is_no_chart() -> None:
    assert bar_chart([]) is None
    assert split_bar({}, badges={"free": Badge(label="Free")}) is None
