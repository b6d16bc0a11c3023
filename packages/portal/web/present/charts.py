"""Bar charts and split bars as coordinates; the templates only draw them.

Coordinates are integers: the digits of a fraction would make the page longer, and no bar more exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from portal.web.present.badges import badge_for
from portal.web.present.formats import number_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from portal.web.present.badges import Badge, LazyText, Tone

#: The page stretches the drawing to the room that it has, so these are shares, not lengths.
SLOT: Final = 100
HEIGHT: Final = 1000
#: A bar takes this share of its slot, in hundredths; with few bars, less.
BAR_WIDTH: Final = 62
FEW_BARS: Final = 6
FEW_BARS_WIDTH: Final = 34
#: With more bars than this, only some have room for a label.
MAX_LABELS: Final = 12
SPLIT_WIDTH: Final = 1000
#: A value outside of these is drawn as 0: no real value is, and the arithmetic of floats fails there.
SMALLEST: Final = 1e-9
LARGEST: Final = 1e15


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One value, the label below its bar, and the value as a text."""

    label: str
    value: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar, and the slot around it that reacts to the pointer.

    :param label_shown: "" for always, "wide-only" for wide screens, "never".
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
    """Bars over a grid of three lines.

    :param axis: the lines' labels, from the top down: the ceiling, half of it, 0.
    """

    bars: tuple[Bar, ...]
    axis: tuple[str, str, str]
    bar_width: int
    slot: int = SLOT
    height: int = HEIGHT

    @property
    def width(self) -> int:
        """Width of the drawing."""
        return self.slot * len(self.bars)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a whole; `x` and `width` are thousandths of the bar."""

    label: LazyText
    tone: Tone
    value: str
    x: int
    width: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitBar:
    """One bar that is divided into the parts of a whole."""

    parts: tuple[Part, ...]


def bar_chart(points: Sequence[Point], *, axis_text: Callable[[float], str] = number_text) -> BarChart | None:
    """A bar for each of `points`, from left to right; None without any.

    :param axis_text: writes the labels of the grid's lines.
    """
    if not points:
        return None
    values = [point.value if 0 < point.value < LARGEST else 0 for point in points]
    top = nice_ceiling(max(values))
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


def split_bar(counts: Mapping[str, int | None], *, badges: Mapping[Any, Badge]) -> SplitBar | None:
    """A bar that is divided among statuses, those of `badges` first; None without any.

    A status whose count is 0 or None has no width, and still stands in the legend, as 0.

    :param counts: status to count.
    """
    total = sum(count or 0 for count in counts.values())
    parts, begin, counted = [], 0, 0
    for code in (code for code in {**badges, **counts} if code in counts):
        count = counts[code] or 0
        counted += count
        end = SPLIT_WIDTH * counted // total if total else 0
        badge = badge_for(code=code, known=badges)
        parts.append(Part(label=badge.label, tone=badge.tone, value=number_text(count), x=begin, width=end - begin))
        begin = end
    return SplitBar(parts=tuple(parts)) if parts else None


def nice_ceiling(value: float) -> float:
    """The next number that is 1, 2, 4, 5 or 8 times a power of ten; 1 for 0.

    :param value: below `LARGEST`.
    """
    if value < SMALLEST:
        return 1
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * factor for factor in (1, 2, 4, 5, 8, 10, 20) if power * factor >= value)


def _label_shown(position: int, count: int) -> str:
    """Up to twelve labels: all, or every second one on a narrow screen. More: every third one, or sixth."""
    every, narrow = (1, 2) if count <= MAX_LABELS else (3, 6)
    if position % every:
        return "never"
    return "wide-only" if position % narrow else ""
