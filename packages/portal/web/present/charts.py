"""The geometry of the charts: pure numbers in, whole coordinates out; the templates only draw.

Coordinates are integers, so that no language's decimal comma can break an SVG attribute.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from portal.web.present.badges import Tone

#: The drawing is stretched to its place, so these are shares, not lengths.
SLOT: Final = 100
HEIGHT: Final = 1000
#: A bar takes this share of its slot, in hundredths; with few bars, less.
BAR_WIDTH: Final = 62
FEW_BARS: Final = 6
FEW_BARS_WIDTH: Final = 34
#: More bars than this can't each carry a word.
MAX_LABELS: Final = 12
SPLIT_WIDTH: Final = 1000
#: Values outside are drawn as nothing: no real figure is so small or so large, and arithmetic ends there.
SMALLEST: Final = 1e-9
LARGEST: Final = 1e15


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One value with the word below it and the text that shows it."""

    label: str
    value: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One drawn bar, and the slot around it that reacts to the pointer.

    :param label_shown: "" always, "wide-only" where there is room, "never".
    """

    label: str
    value: str
    slot_x: int
    x: int
    y: int
    height: int
    label_shown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BarChart:
    """A chart of bars over a grid.

    :param axis: what the lines stand for, from the top down: the ceiling, half of it, nothing.
    """

    bars: tuple[Bar, ...]
    axis: tuple[str, str, str]
    bar_width: int
    slot: int = SLOT
    height: int = HEIGHT

    @property
    def width(self) -> int:
        """Width of the drawing."""
        return self.slot * max(len(self.bars), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a whole: its share of the width, in thousandths."""

    label: object
    tone: Tone
    value: str
    x: int
    width: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A bar that shows how a whole is divided."""

    parts: tuple[Part, ...]


def bar_chart(points: Sequence[Point], *, axis_text: Callable[[float], str]) -> BarChart:
    """Draw `points` from left to right; `axis_text` writes the values of the grid lines."""
    values = [point.value if 0 < point.value < LARGEST else 0 for point in points]
    top = nice_ceiling(max(values, default=0))
    width = FEW_BARS_WIDTH if len(points) <= FEW_BARS else BAR_WIDTH
    bars = []
    for position, (point, value) in enumerate(zip(points, values, strict=True)):
        height = round(HEIGHT * value / top)
        bars.append(
            Bar(
                label=point.label,
                value=point.text,
                slot_x=position * SLOT,
                x=position * SLOT + (SLOT - width) // 2,
                y=HEIGHT - height,
                height=height,
                label_shown=_label_shown(position, len(points)),
            )
        )
    axis = (axis_text(top), axis_text(top / 2), axis_text(0))
    return BarChart(bars=tuple(bars), axis=axis, bar_width=width)


def split(parts: Sequence[tuple[object, Tone, int]], *, count_text: Callable[[float], str]) -> Split:
    """Divide a bar among `(label, tone, count)`; parts without a count take no room but stay in the legend."""
    total = sum(count for _, _, count in parts)
    drawn, begin, counted = [], 0, 0
    for label, tone, count in parts:
        counted += count
        end = SPLIT_WIDTH * counted // total if total else 0
        drawn.append(Part(label=label, tone=tone, value=count_text(count), x=begin, width=end - begin))
        begin = end
    return Split(parts=tuple(drawn))


def nice_ceiling(value: float) -> float:
    """The next number of the form 1, 2, 4, 5 or 8 times a power of ten; 1 for nothing at all.

    :param value: below `LARGEST`.
    """
    if value < SMALLEST:
        return 1
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * factor for factor in (1, 2, 4, 5, 8, 10, 20) if power * factor >= value)


def _label_shown(position: int, count: int) -> str:
    """Of many labels only each third, or sixth where it is narrow; of a dozen each second where it is narrow."""
    every, narrow = (1, 2) if count <= MAX_LABELS else (3, 6)
    if position % every:
        return "never"
    return "wide-only" if position % narrow else ""
