"""The charts' geometry: whole numbers, inside the drawing, in proportion."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.web.present import Badge
from portal_pages.figures.charts import HEIGHT, SPLIT_WIDTH, BarChart, Point, bar_chart, nice_steps, split_bar

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
    assert chart.axis == ("80.0", "60.0", "40.0", "20.0", "0.0")
    assert chart.lines == (0, 250, 500, 750, 1000)


@pytest.mark.parametrize("value", [5e-324, 1e-300, -1.0, math.nan, math.inf, -math.inf, 1e308])
def test_a_value_that_is_no_figure_is_drawn_as_nothing(value: float) -> None:
    assert [bar.height for bar in chart_of([value, 4]).bars] == [0, HEIGHT]


@pytest.mark.parametrize(
    ("are_whole", "grid"),
    [
        (False, {0: (1, 1), 0.03: (0.01, 3), 1: (0.2, 5), 7: (2, 4), 59: (20, 3), 81: (20, 5), 2.4e6: (500_000, 5)}),
        # Of what is counted there is no half.
        (True, {0: (1, 1), 1: (1, 1), 3: (1, 3), 11: (5, 3), 12: (5, 3)}),
    ],
)
def test_grid_has_up_to_five_round_steps(are_whole: bool, grid: dict[float, tuple[float, int]]) -> None:
    assert {value: nice_steps(value, are_whole=are_whole) for value in grid} == {
        value: (pytest.approx(step), steps) for value, (step, steps) in grid.items()
    }


@pytest.mark.parametrize(("count", "wide", "narrow"), [(12, 12, 6), (24, 8, 4), (45, 8, 4)])
def test_of_many_labels_only_some_are_shown(count: int, wide: int, narrow: int) -> None:
    chart = chart_of([1.0] * count)
    assert sum(bar.label_shown != "never" for bar in chart.bars) == wide
    assert sum(bar.label_shown == "" for bar in chart.bars) == narrow


@pytest.mark.parametrize(
    ("years", "wide", "narrow"),
    [
        (["2025"] + ["2026"] * 11, [(0, "2025"), (1, "2026")], [(0, "2025"), (2, "2026")]),
        # Where it changes below a hidden label it is said at the next one.
        (["2025"] * 5 + ["2026"] * 25, [(0, "2025"), (8, "2026")], [(0, "2025"), (8, "2026")]),
    ],
)
def test_year_stands_where_it_changes(
    years: list[str], wide: list[tuple[int, str]], narrow: list[tuple[int, str]]
) -> None:
    chart = bar_chart(
        [Point(label=str(at), value=1, text="1", group=year, note="cut") for at, year in enumerate(years)]
    )
    assert chart is not None
    assert [(at, bar.group) for at, bar in enumerate(chart.bars) if bar.group and bar.group_shown == ""] == wide
    assert [(at, bar.group) for at, bar in enumerate(chart.bars) if bar.group and bar.label_shown == ""] == narrow
    assert chart.notes == ("cut",), "what is said of open bars is said once"


@given(st.lists(st.integers(min_value=0, max_value=10**9), min_size=1, max_size=6))
def test_the_parts_of_a_whole_fill_it_without_gaps(counts: list[int]) -> None:
    bar = split_bar({str(at): count for at, count in enumerate(counts)}, badges={})
    assert bar is not None
    assert sum(part.width for part in bar.parts) == (SPLIT_WIDTH if sum(counts) else 0)
    assert all(after.x == before.x + before.width for before, after in pairwise(bar.parts))
    assert all(part.width == 0 for part, count in zip(bar.parts, counts, strict=True) if not count)


def test_known_statuses_come_first_lead_to_their_rows_and_stay_in_the_legend_also_without_a_count() -> None:
    badges = {"free": Badge(label="Free"), "faulted": Badge(label="Faulted")}
    bar = split_bar({"odd": 2, "faulted": 2, "free": None}, badges=badges, href=lambda status: f"?status={status}")
    assert bar is not None
    assert [(part.label, part.value, part.width, part.href) for part in bar.parts] == [
        ("Free", "0", 0, "?status=free"),
        ("Faulted", "2", 500, "?status=faulted"),
        ("odd", "2", 500, ""),
    ]


def test_without_anything_to_draw_there_is_no_chart() -> None:
    assert bar_chart([]) is None
    assert split_bar({}, badges={"free": Badge(label="Free")}) is None


def test_parts_of_one_tone_are_drawn_in_different_ways() -> None:
    badges = {code: Badge(label=code) for code in "abcd"} | {"e": Badge(label="e", tone="good")}
    bar = split_bar(dict.fromkeys("abcde", 1), badges=badges)
    assert bar is not None
    assert [part.drawing for part in bar.parts] == [0, 1, 2, 0, 0]
